// The rules of the house that no linter knows. Each finding says why the rule is there.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { checkMigrations } from './migration-check.ts';
import { workspaceRoot } from './services.ts';

interface Rule {
  why: string;
  /** Which files it is about, by their path in the repository. */
  files: RegExp;
  except?: RegExp;
  /** Returns what is wrong in a text, or undefined. */
  find(text: string, path: string): string | undefined;
}

/** What a file loads when it runs; types alone load nothing. */
const imports = (text: string): string[] =>
  [
    ...text.matchAll(/^(?:import|export)\s+(?!type\b)[^;]*?from\s+'([^']+)'/gm),
    ...text.matchAll(/^import\s+'([^']+)'/gm),
    ...text.matchAll(/\bimport\('([^']+)'\)/g),
  ].map((match) => match[1] as string);
const firstImport = (text: string, isBad: (name: string) => boolean) => imports(text).find(isBad);

/** What the services are called, and with it the packages of their code. */
const services = readdirSync(join(workspaceRoot, 'services'));
const isServiceCode = (name: string) => services.some((service) => name === `@tandem/${service}`);

const rules: Rule[] = [
  {
    why: 'a contract is read by gateway, services and clients, so it may bring nothing along but the vocabulary',
    files: /^services\/[^/]+\/contract\/.*\.ts$/,
    find: (text) => firstImport(text, (name) => !name.startsWith('./') && !['zod', '@tandem/contract'].includes(name)),
  },
  {
    why: 'contracts and the public client also run in browsers, which have neither modules nor globals of Node',
    files: /^(services\/[^/]+\/contract|packages\/contract\/src|packages\/client\/src\/(public|request))\b.*\.ts$/,
    except: /\.test\.ts$/,
    find: (text) => firstImport(text, (name) => name.startsWith('node:')) ?? /\b(?:Buffer|process)\./.exec(text)?.[0],
  },
  {
    why: 'services know each other by contract only, or they can no longer be changed and deployed apart',
    files: /^services\/[^/]+\/src\/.*\.ts$/,
    find: (text, path) => {
      const own = path.split('/')[1];
      return firstImport(text, (name) => isServiceCode(name) || new RegExp(`services/(?!${own}/)`).test(name));
    },
  },
  {
    why: 'a client made anywhere else would not be bound to a tenant',
    files: /^(services|packages|gateway)\/.*\.ts$/,
    except: /^services\/[^/]+\/src\/service\.ts$|\.test\.ts$|\/check\.ts$|\/generated\//,
    find: (text) => (/new PrismaClient\b/.test(text) ? 'new PrismaClient' : undefined),
  },
  {
    why: 'a handler works inside a transaction, where nothing may wait for a network; that belongs to the mechanism',
    files: /^services\/[^/]+\/src\/features\/.*\.ts$/,
    except: /\.(test|job)\.ts$/,
    find: (text) =>
      firstImport(text, (name) => ['amqplib', 'ioredis', 'bullmq', 'undici', 'express'].includes(name)) ??
      (/[^.\w]fetch\(/.test(text) ? 'fetch()' : undefined),
  },
  {
    why: 'a gateway that imports a service could not be deployed without it',
    files: /^gateway\/src\/.*\.ts$/,
    find: (text) => firstImport(text, isServiceCode),
  },
  {
    why: 'a TODO is either done now or an issue',
    files: /\.(ts|mjs)$/,
    except: /\/check\.ts$|\/generated\//,
    find: (text) => /\b(TODO|FIXME|XXX)\b/.exec(text)?.[0] ?? /\b(?:it|describe|test)\.(?:skip|only)\b/.exec(text)?.[0],
  },
  {
    why: 'a path of one machine means nothing on another',
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
else console.log('house rules: kept');

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
  const due = rules.filter((rule) => rule.files.test(path) && !rule.except?.test(path));
  if (!due.length) return [];
  const text = readFileSync(file, 'utf8');
  return due.flatMap((rule) => {
    const found = rule.find(text, path);
    return found === undefined ? [] : [`${path}: ${found}: ${rule.why}`];
  });
}

/** One name in five places: a public operation `createLead` stands in a file `create-lead.ts`, with a test beside it or its resource. */
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
          `services/${service}: no file ${kebab(id)}.ts for the operation ${id}: a log line must lead to its code`,
      );
  });
}

function kebab(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
