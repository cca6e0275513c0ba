"""What every test area shares."""

pytest_plugins = ["tests.site_fixtures"]
