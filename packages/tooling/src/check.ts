// Repository rules that no linter has. Each finding includes the reason.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { checkMigrations } from './migration-check.ts';
import { workspaceRoot } from './services.ts';

interface Rule {
  why: string;
  /** The files that the rule applies to, by their path in the repository. */
  files: RegExp;
  except?: RegExp;
  /** Returns what is wrong in a text, or undefined. */
  find(text: string, path: string): string | undefined;
}

/** The runtime imports of a file; type-only imports load nothing. */
const imports = (text: string): string[] =>
  [
    ...text.matchAll(/^(?:import|export)\s+(?!type\b)[^;]*?from\s+'([^']+)'/gm),
    ...text.matchAll(/^import\s+'([^']+)'/gm),
    ...text.matchAll(/\bimport\('([^']+)'\)/g),
  ].map((match) => match[1] as string);
const firstImport = (text: string, isBad: (name: string) => boolean) => imports(text).find(isBad);

/** Names of the services, which are also the names of their packages. */
const services = readdirSync(join(workspaceRoot, 'services'));
const isServiceCode = (name: string) => services.some((service) => name === `@tandem/${service}`);

const rules: Rule[] = [
  {
    why: 'the gateway, services and clients import contracts, so a contract may import only zod, @tandem/contract and its own files',
    files: /^services\/[^/]+\/contract\/.*\.ts$/,
    find: (text) => firstImport(text, (name) => !name.startsWith('./') && !['zod', '@tandem/contract'].includes(name)),
  },
  {
    why: 'contracts and the public client also run in browsers: do not use modules or globals of Node',
    files: /^(services\/[^/]+\/contract|packages\/contract\/src|packages\/client\/src\/(public|request))\b.*\.ts$/,
    except: /\.test\.ts$/,
    find: (text) => firstImport(text, (name) => name.startsWith('node:')) ?? /\b(?:Buffer|process)\./.exec(text)?.[0],
  },
  {
    why: 'services must be deployable separately: import the contract of another service, not its code',
    files: /^services\/[^/]+\/src\/.*\.ts$/,
    find: (text, path) => {
      const own = path.split('/')[1];
      return firstImport(text, (name) => isServiceCode(name) || new RegExp(`services/(?!${own}/)`).test(name));
    },
  },
  {
    why: 'only service.ts creates the Prisma client, because it binds it to a tenant',
    files: /^(services|packages|gateway)\/.*\.ts$/,
    except: /^services\/[^/]+\/src\/service\.ts$|\.test(-service)?\.ts$|\/check\.ts$|\/generated\//,
    find: (text) => (/new PrismaClient\b/.test(text) ? 'new PrismaClient' : undefined),
  },
  {
    why: 'a handler runs inside a transaction and must not wait for the network: use a package, a job or an argument of the handler',
    files: /^services\/[^/]+\/src\/features\/.*\.ts$/,
    except: /\.(test(-[a-z]+)?|job)\.ts$/,
    find: (text) =>
      firstImport(text, (name) => ['amqplib', 'ioredis', 'bullmq', 'undici', 'express'].includes(name)) ??
      (/[^.\w]fetch\(/.test(text) ? 'fetch()' : undefined),
  },
  {
    why: 'the gateway must be deployable separately: import the contract of a service, not its code',
    files: /^gateway\/src\/.*\.ts$/,
    find: (text) => firstImport(text, isServiceCode),
  },
  {
    why: 'do it now or open an issue; never skip or focus a test',
    files: /\.(ts|mjs)$/,
    except: /\/check\.ts$|\/generated\//,
    find: (text) => /\b(TODO|FIXME|XXX)\b/.exec(text)?.[0] ?? /\b(?:it|describe|test)\.(?:skip|only)\b/.exec(text)?.[0],
  },
  {
    why: 'the path exists on one machine only: use a relative path',
    files: /\.(ts|mjs|json|md|yml|yaml|sh)$/,
    except: /\/check\.ts$|pnpm-lock/,
    find: (text) => /(?:^|[\s"'`(=])\/(?:home|root|work|Users)\/\w[^\s"'`)]*/m.exec(text)?.[0]?.trim(),
  },
];

const folders = ['gateway', 'services', 'packages', 'e2e', 'infra', 'docs'];
const skipped = new Set(['node_modules', 'generated', '.local']);

const findings = folders.flatMap((folder) => walk(join(workspaceRoot, folder))).flatMap(check);
findings.push(...operationsWithoutFile(), ...(await checkMigrations(workspaceRoot)));
for (const finding of findings) console.error(finding);
if (findings.length) process.exitCode = 1;
else console.log('house rules: no findings');

function walk(dir: string): string[] {
  let names: string[];
  try {
    names = readdirSync(dir);
  } catch {
    return [];
  }
  return names
    .filter((name) => !skipped.has(name))
    .map((name) => join(dir, name))
    .flatMap((path) => (statSync(path).isDirectory() ? walk(path) : [path]));
}

function check(file: string): string[] {
  const path = relative(workspaceRoot, file);
  const applicable = rules.filter((rule) => rule.files.test(path) && !rule.except?.test(path));
  if (!applicable.length) return [];
  const text = readFileSync(file, 'utf8');
  return applicable.flatMap((rule) => {
    const found = rule.find(text, path);
    return found === undefined ? [] : [`${path}: ${found}: ${rule.why}`];
  });
}

/** Each public operation `createLead` needs a file `create-lead.ts`, so that a log line leads to its code. */
function operationsWithoutFile(): string[] {
  return services.flatMap((service) => {
    const contract = join(workspaceRoot, 'services', service, 'contract');
    const files = walk(join(workspaceRoot, 'services', service, 'src')).map((file) => relative(workspaceRoot, file));
    if (!files.length) return [];
    return walk(contract)
      .filter((file) => file.endsWith('.ts'))
      .flatMap((file) =>
        [...readFileSync(file, 'utf8').matchAll(/^ {2}(\w+): \{\n {4}method: '/gm)].map((match) => match[1] as string),
      )
      .filter((id) => !files.some((file) => file.endsWith(`/${kebab(id)}.ts`)))
      .map(
        (id) =>
          `services/${service}: the operation ${id} has no file ${kebab(id)}.ts: name the file after the operation, so that log lines lead to the code`,
      );
  });
}

function kebab(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
