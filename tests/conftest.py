def pytest_addoption(parser):
    parser.addoption("--programs", type=int, default=120, help="how many random programs tests/fuzz runs")
    parser.addoption("--first-program", type=int, default=0, help="the seed of the first")
