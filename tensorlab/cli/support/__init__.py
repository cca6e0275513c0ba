"""What several commands share: errors and exit codes, the project's folder, progress, build, server."""
