"""What every Python test can use: the program, a scratch project, the peers; and the two kinds of tests without Python, shell
scripts (cli/*.sh) and golden cases (golden/<case>/cmd)."""
import os

import pytest

import golden
import peers
import project as projects

os.environ["TZ"] = "UTC"


def pytest_addoption(parser):
    parser.addoption("--update", action="store_true", help="rewrite what the golden cases expect")


def pytest_collect_file(file_path, parent):
    if file_path.suffix == ".sh" and file_path.parent.name == "cli":
        return golden.ShellFile.from_parent(parent, path=file_path)
    if file_path.name == "cmd" and file_path.parent.parent.name == "golden":
        return golden.GoldenFile.from_parent(parent, path=file_path)
    return None


@pytest.fixture(scope="session")
def assay():
    """The program under test: $ASSAY, else the newest build."""
    return projects.find_program()


@pytest.fixture
def project(assay, tmp_path):
    """An empty project with an empty lake; see support/project.py."""
    return projects.Project(tmp_path / "project", assay)


@pytest.fixture(autouse=True)
def spark_is_active(request):
    """Delta asks the JVM's thread for its session, and Python's next call may come on a thread that never had one."""
    if "spark" in request.fixturenames:
        session = request.getfixturevalue("spark")
        session._jvm.org.apache.spark.sql.SparkSession.setActiveSession(session._jsparkSession)


@pytest.fixture(scope="session")
def spark(tmp_path_factory):
    """The one Spark session of a test run, with Delta."""
    session = peers.start_spark(tmp_path_factory.mktemp("spark"))
    yield session
    session.stop()
