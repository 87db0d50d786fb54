// What a language server may see of our environment. A server runs code from the workspace more often than not, so it
// gets what it needs to find its toolchain and nothing else: no tokens, no agent sockets, nothing that injects code.
import { posix, win32 } from 'node:path'

/**
 * `extra` comes from the server's definition or the user's configuration: somebody named each of its variables on
 * purpose, so it wins over everything here.
 */
export function serverEnvironment(
  base: NodeJS.ProcessEnv,
  extra: Readonly<Record<string, string>>,
  platform: NodeJS.Platform = process.platform,
): Record<string, string> {
  const environment: Record<string, string> = Object.create(null)
  const overridden = new Set(Object.keys(extra).map(name => canonical(name, platform)))
  for (const [name, value] of Object.entries(base)) {
    if (value === undefined || overridden.has(canonical(name, platform))) continue
    if (isAllowed(name, platform)) environment[name] = harmless(name, value, platform)
  }
  if (platform !== 'win32' && environment.PATH === undefined && !overridden.has('PATH')) {
    environment.PATH = '/usr/local/bin:/usr/bin:/bin'
  }
  return Object.assign(environment, extra)
}

/** Never passed on by themselves, whatever the list below says: a second lock, should that list grow carelessly. */
const forbidden = [
  /(^|_)(TOKEN|KEY|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIALS?|AUTH|COOKIE)S?(_|$)/i,
  /^(AWS|AZURE|GOOGLE|GCP|GITHUB|GITLAB|OPENAI|ANTHROPIC|ALIDADE|MCP|SSH|GPG|DOCKER)_/i,
  /^(LD|DYLD)_/i,
  /^(npm|NPM)_/i,
  /^GIT_/i,
  /^(NODE_OPTIONS|NODE_PATH|BASH_ENV|ENV|PYTHONSTARTUP|PYTHONINSPECT|PERL5OPT|RUBYOPT)$/i,
  /^(GOFLAGS|JAVA_TOOL_OPTIONS|JDK_JAVA_OPTIONS|_JAVA_OPTIONS|RUSTFLAGS)$/i,
  /^RUSTC(_WORKSPACE)?_WRAPPER$/i,
]

const everywhere = [
  ['PATH', 'HOME', 'USER', 'LOGNAME', 'LANG', 'LANGUAGE', 'TZ', 'TMPDIR', 'TMP', 'TEMP'],
  ['XDG_CONFIG_HOME', 'XDG_CACHE_HOME', 'XDG_DATA_HOME', 'XDG_STATE_HOME', 'XDG_RUNTIME_DIR'],
  ['XDG_CONFIG_DIRS', 'XDG_DATA_DIRS'],
  ['GOPATH', 'GOROOT', 'GOBIN', 'GOMODCACHE', 'GOCACHE', 'GOENV', 'GOTOOLCHAIN', 'GOWORK', 'GO111MODULE'],
  ['GOPROXY', 'GOPRIVATE', 'GONOPROXY', 'GONOSUMDB', 'GOSUMDB', 'GOOS', 'GOARCH', 'CGO_ENABLED'],
  ['CARGO_HOME', 'CARGO_TARGET_DIR', 'CARGO_NET_OFFLINE', 'RUSTUP_HOME', 'RUSTUP_TOOLCHAIN'],
  ['JAVA_HOME', 'JDK_HOME', 'GRADLE_USER_HOME', 'MAVEN_HOME', 'M2_HOME', 'ANDROID_HOME'],
  ['VIRTUAL_ENV', 'CONDA_PREFIX', 'PYENV_ROOT', 'PYENV_VERSION'],
  ['NVM_DIR', 'VOLTA_HOME', 'FNM_DIR', 'ASDF_DIR', 'ASDF_DATA_DIR', 'MISE_DATA_DIR'],
  ['RBENV_ROOT', 'RBENV_VERSION', 'GEM_HOME', 'GEM_PATH', 'DOTNET_ROOT', 'DOTNET_CLI_HOME', 'NUGET_PACKAGES'],
  ['OPAM_SWITCH_PREFIX', 'SDKROOT', 'DEVELOPER_DIR', 'NIX_PROFILES'],
  ['SSL_CERT_FILE', 'SSL_CERT_DIR', 'NIX_SSL_CERT_FILE', 'NODE_EXTRA_CA_CERTS', 'CARGO_HTTP_CAINFO'],
].flat()

const proxies = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'NO_PROXY']
const withAddresses = new Set([...proxies, ...proxies.map(name => name.toLowerCase()), 'GOPROXY', 'GOSUMDB'])

const onWindows = [
  ['SystemRoot', 'SystemDrive', 'windir', 'ComSpec', 'PATHEXT', 'OS', 'USERNAME', 'USERPROFILE'],
  ['HOMEDRIVE', 'HOMEPATH', 'APPDATA', 'LOCALAPPDATA', 'ProgramData', 'ALLUSERSPROFILE', 'PUBLIC'],
  ['ProgramFiles', 'ProgramFiles(x86)', 'ProgramW6432', 'CommonProgramFiles', 'CommonProgramFiles(x86)'],
  ['NUMBER_OF_PROCESSORS', 'PROCESSOR_ARCHITECTURE'],
].flat()

const allowedEverywhere = new Set([...everywhere, ...withAddresses])
const allowedOnWindows = new Set([...allowedEverywhere, ...onWindows].map(name => canonical(name, 'win32')))

function isAllowed(name: string, platform: NodeJS.Platform): boolean {
  if (forbidden.some(pattern => pattern.test(name))) return false
  if (/^LC_[A-Z]+$/.test(name)) return true
  return platform === 'win32' ? allowedOnWindows.has(canonical(name, platform)) : allowedEverywhere.has(name)
}

/** Windows does not tell `Path` from `PATH`. */
function canonical(name: string, platform: NodeJS.Platform): string {
  return platform === 'win32' ? name.toUpperCase() : name
}

function harmless(name: string, value: string, platform: NodeJS.Platform): string {
  if (canonical(name, platform) === 'PATH') return absoluteEntries(value, platform)
  if (withAddresses.has(name)) return withoutCredentials(value)
  return value
}

/** An empty or relative entry means "the current folder", which for a server is the workspace itself. */
function absoluteEntries(path: string, platform: NodeJS.Platform): string {
  const rules = platform === 'win32' ? win32 : posix
  return path
    .split(rules.delimiter)
    .filter(entry => rules.isAbsolute(entry))
    .join(rules.delimiter)
}

/**
 * The address stays and the password goes. To drop the whole variable would send the server past the company's proxy
 * to the public one, with the names of private modules.
 */
function withoutCredentials(value: string): string {
  return value.replace(/(^|:\/\/|[,|\s])[^/,|\s]*@/g, '$1')
}
