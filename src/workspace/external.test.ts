import { posix } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { countCpuTime } from '../../test/cpu-time.js'
import { externalName } from './external.js'

describe('W27 files outside the workspace', () => {
  it.each([
    ['/home/ann/other/node_modules/@types/node/fs.d.ts', '@types/node/fs.d.ts'],
    ['/srv/node_modules/.pnpm/lodash@4.17.21/node_modules/lodash/index.js', 'lodash/index.js'],
    ['/home/ann/.venv/lib/python3.12/site-packages/flask/app.py', 'flask/app.py'],
    ['/usr/lib/python3/dist-packages/yaml/__init__.py', 'yaml/__init__.py'],
    ['/usr/lib/python3.12/asyncio/events.py', 'asyncio/events.py'],
    ['/x/node_modules/pyright/dist/typeshed-fallback/stdlib/os/__init__.pyi', 'os/__init__.pyi'],
    ['/x/typeshed-fallback/stubs/requests/requests/api.pyi', 'requests/api.pyi'],
    ['/home/ann/go/pkg/mod/github.com/gin-gonic/gin@v1.9.1/gin.go', 'github.com/gin-gonic/gin@v1.9.1/gin.go'],
    [
      '/home/ann/go/pkg/mod/golang.org/toolchain@v0.0.1-go1.22.0.linux-amd64/src/fmt/print.go',
      'fmt/print.go',
    ],
    ['/usr/local/go/src/fmt/print.go', 'fmt/print.go'],
    ['/usr/lib/go-1.22/src/net/http/server.go', 'net/http/server.go'],
    ['/opt/homebrew/Cellar/go/1.22.1/libexec/src/fmt/print.go', 'fmt/print.go'],
    ['/home/ann/sdk/go1.22.1/src/fmt/print.go', 'fmt/print.go'],
    [
      '/home/ann/.cargo/registry/src/index.crates.io-6f17d22bba15001f/serde-1.0.2/src/lib.rs',
      'serde-1.0.2/src/lib.rs',
    ],
    ['/r/lib/rustlib/src/rust/library/core/src/option.rs', 'core/src/option.rs'],
    ['/usr/include/x86_64-linux-gnu/sys/types.h', 'x86_64-linux-gnu/sys/types.h'],
    ['/usr/lib/gcc/x86_64-linux-gnu/13/include/stddef.h', 'gcc/x86_64-linux-gnu/13/include/stddef.h'],
    ['/nix/store/abc-glibc-2.38-dev/include/stdio.h', 'include/stdio.h'],
  ])('W27 %s is a library', (path, name) => {
    expect(externalName(path)).toEqual({ label: `external:${name}`, library: true })
  })

  it.each([
    ['/home/ann/.ssh/id_rsa', 'id_rsa'],
    ['/home/ann/go/src/private/plan.go', 'plan.go'],
    ['/home/ann/pkg/mod/private/plan.go', 'plan.go'],
    ['/home/ann/registry/src/private/plan.rs', 'plan.rs'],
    ['/home/ann/node_modules/../private/plan.ts', 'plan.ts'],
    ['/home/ann/my-node_modules/private/plan.ts', 'plan.ts'],
    ['/home/usr/include/private.h', 'private.h'],
    ['/etc/passwd', 'passwd'],
    ['/home/ann/node_modules/', 'node_modules'],
  ])('W27 %s shows its last name only', (path, name) => {
    expect(externalName(path)).toEqual({ label: `external:${name}`, library: false })
  })

  it('O7 shows no folder that lies above a library', () => {
    const parts = fc.constantFrom(
      'node_modules',
      'site-packages',
      'lib',
      'python3.12',
      '..',
      '.',
      'go',
      'src',
      'a',
      'x\ny',
    )
    fc.assert(
      fc.property(fc.array(parts), fc.array(parts), (before, after) => {
        const path = `/home/secret-person/secret-work/${before.join('/secret-part/')}/q/${after.join('/')}`
        const { label, library } = externalName(path)
        // The last name is the file's own, also where enough ".." lead up to a secret folder itself.
        const lastName = posix.basename(posix.normalize(path))
        if (library) expect(label).not.toMatch(/person|work/)
        else expect(label).toBe(`external:${lastName}`)
        expect(label.split('/')).not.toContain('..')
      }),
    )
  })

  it('W27 a path made to be slow is named at once', () => {
    const spent = countCpuTime()
    for (const unit of ['/go', '/usr/go', '/registry/src', '/pkg/mod', '/a@v', '/', '/lib/python3']) {
      externalName(`/usr${unit.repeat(4000)}`)
    }
    expect(spent()).toBeLessThan(2000)
  })
})
