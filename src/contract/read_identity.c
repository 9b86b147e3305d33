/*
 * Who and what: the contract's fields that every table of the file shares.
 *
 * The owner is the team's name; whom to write to is the member whose role is Owner, else the support channel of tool
 * email. A contract without an owner works, with a warning: somebody has to be asked when a batch is refused.
 */
#include "contract/reader.h"

/* v3.<minor>.<patch>; the newest known minor for anything else. */
static void read_api_version(struct reader *r, struct contract *out) {
    enum { NEWEST = 2 };
    r->minor = NEWEST;
    const struct yaml_node *node = scalar_of(r->root, "apiVersion");
    if (!node) return;
    out->api_version = node->text;
    struct str major, minor, rest = str_split(node->text, '.', &major);
    struct str patch = str_split(rest, '.', &minor);
    int64_t number, fix;
    if (!str_eq(major, STR("v3")) || str_int64(minor, &number) != ASSAY_OK || number < 0 ||
        str_int64(patch, &fix) != ASSAY_OK) {
        struct str help = str_starts(major, STR("3")) ? STR("write v3.1.0, with the v") : STR("write v3.1.0");
        report_error(r, mark_node(r, node), "unknown-version", help, "apiVersion is '%.*s'; expected v3.0.0 to v3.2.0",
                     STR_ARG(shown(r, node->text)));
        return;
    }
    if (number <= NEWEST)
        r->minor = (int)number;
    else
        report_warning(r, mark_node(r, node), "unknown-version", (struct str){0},
                       "apiVersion '%.*s' is newer than v3.2: what it added is not known here",
                       STR_ARG(shown(r, node->text)));
}

static void check_kind(struct reader *r) {
    const struct yaml_node *node = scalar_of(r->root, "kind");
    if (!node || str_eq(node->text, STR("DataContract"))) return;
    report_error(r, mark_node(r, node), "unknown-word", STR("write DataContract"),
                 "kind is '%.*s'; expected DataContract", STR_ARG(shown(r, node->text)));
}

static bool is_semantic_version(struct str text) {
    struct str part;
    for (int i = 0; i < 3; i++) {
        int64_t number;
        text = str_split(text, '.', &part);
        struct str digits, suffix = str_split(part, '-', &digits);
        if (i < 2 && suffix.len) return false;
        if (str_int64(digits, &number) != ASSAY_OK || number < 0) return false;
        if (suffix.len) return true; /* 1.0.0-rc.1 */
    }
    return text.len == 0;
}

static void check_version(struct reader *r, struct str version) {
    const struct yaml_node *node = scalar_of(r->root, "version");
    if (!node || is_semantic_version(version)) return;
    report_warning(r, mark_node(r, node), "odd-version", STR("write it as 1.0.0"),
                   "version '%.*s' is not <major>.<minor>.<patch>; it is how readers see a breaking change",
                   STR_ARG(shown(r, version)));
}

static const struct yaml_node *owner_of(const struct yaml_node *members) {
    for (size_t i = 0; members && i < members->count; i++) {
        const struct yaml_node *member = mapping_at(members, i);
        if (str_eq_nocase(text_of(member, "role"), STR("Owner"))) return member;
    }
    return NULL;
}

static struct str support_mail(const struct yaml_node *support) {
    for (size_t i = 0; support && i < support->count; i++) {
        const struct yaml_node *item = mapping_at(support, i);
        struct str url = text_of(item, "url");
        if (str_starts(url, STR("mailto:"))) return str_sub(url, 7, url.len);
        if (str_eq_nocase(text_of(item, "tool"), STR("email")) && str_find_char(url, '@') != SIZE_MAX) return url;
    }
    return (struct str){0};
}

static void read_owner(struct reader *r, struct contract *out) {
    const struct yaml_node *team = mapping_of(r->root, "team"), *old_team = list_of(r->root, "team");
    const struct yaml_node *owner = owner_of(team ? list_of(team, "members") : old_team);
    struct str mail = support_mail(list_of(r->root, "support"));
    struct str username = text_of(owner, "username"), name = text_of(owner, "name");
    out->owner = text_of(team, "name");
    if (!out->owner.len) out->owner = name.len ? name : username;
    out->owner_contact = str_find_char(username, '@') != SIZE_MAX || !mail.len ? username : mail;
    if (!out->owner.len) out->owner = out->owner_contact;
    if (out->owner.len) return;
    report_warning(r, mark_member(r, r->root, "team"), "no-owner",
                   STR("add team: {name: ..., members: [{username: MAIL, role: Owner}]}"),
                   "nobody owns this contract: a refused batch has no one to ask");
}

void read_identity(struct reader *r, struct contract *out) {
    read_api_version(r, out);
    check_kind(r);
    out->id = text_of(r->root, "id");
    out->version = text_of(r->root, "version");
    out->status = text_of(r->root, "status");
    out->domain = text_of(r->root, "domain");
    out->purpose = text_of(mapping_of(r->root, "description"), "purpose");
    check_version(r, out->version);
    read_owner(r, out);
}
