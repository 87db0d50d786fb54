// What the servers for Python have in common: the project files whose change they must hear of.

export const pythonProjectFiles = ['pyproject.toml', 'pyrightconfig.json', 'setup.cfg', 'setup.py', 'tox.ini']
