import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { SchemaEngine } from '@prisma/schema-engine-wasm/schema_engine_bg';
import type { Migration } from './migration-files.ts';
import { inOneTransaction } from './runner.ts';

// The types of Node leave it to the DOM's, which would bring a browser's names into every file.
declare const WebAssembly: {
  Module: new (bytes: Uint8Array) => object;
  Instance: new (module: object, imports: Record<string, unknown>) => { exports: Record<string, unknown> };
};

const filters = { externalTables: [], externalEnums: [] };

let loaded: ReturnType<typeof load> | undefined;

/**
 * The SQL that leads from the given migrations to the schema. For that they are played into a shadow database, after
 * `foundation`, which is what they find there when they are applied.
 */
export async function diffToSchema(options: {
  url: string;
  migrations: Migration[];
  foundation: string;
  schema: string;
}): Promise<string> {
  const { url, migrations, foundation, schema } = options;
  return withEngine({ url, schema }, async (engine) => {
    const files = [{ path: 'schema.prisma', content: schema }];
    const result = await engine.diff({
      from: migrations.length > 0 ? { tag: 'migrations', ...migrationList(migrations, foundation) } : { tag: 'empty' },
      to: { tag: 'schemaDatamodel', files },
      script: true,
      exitCode: null,
      filters,
    });
    return result.stdout ?? '';
  });
}

async function withEngine<T>(
  { url, schema }: { url: string; schema?: string },
  work: (engine: SchemaEngine) => Promise<T>,
): Promise<T> {
  loaded ??= load();
  const { bindings, bindMigrationAwareSqlAdapterFactory, engineAdapter } = await loaded;
  const adapter = engineAdapter(url);
  const datamodels: [string, string][] = [
    ['schema.prisma', schema ?? 'datasource db {\n  provider = "postgresql"\n}\n'],
  ];
  const engine = await bindings.SchemaEngine.new(
    { datamodels },
    () => undefined,
    bindMigrationAwareSqlAdapterFactory(adapter.factory),
  );
  try {
    return await work(engine);
  } catch (error) {
    throw new Error(engineMessage(error), { cause: error });
  } finally {
    engine.free();
    await adapter.close();
  }
}

/**
 * Prisma ships the engine as a binary, which would be a download, and as WebAssembly in this package. Loaded when there
 * is a migration to apply and not before: it takes half a second and 80 MB.
 */
async function load() {
  const [bindings, { bindMigrationAwareSqlAdapterFactory }, { engineAdapter }] = await Promise.all([
    import('@prisma/schema-engine-wasm/schema_engine_bg'),
    import('@prisma/driver-adapter-utils'),
    import('./adapter.ts'),
  ]);
  const script = fileURLToPath(import.meta.resolve('@prisma/schema-engine-wasm/schema_engine_bg'));
  const module = new WebAssembly.Module(await readFile(script.replace(/\.js$/, '.wasm')));
  const { exports } = new WebAssembly.Instance(module, { './schema_engine_bg.js': withoutHeldTimers(bindings) });
  bindings.__wbg_set_wasm(exports);
  (exports['__wbindgen_start'] as () => void)();
  return { bindings, bindMigrationAwareSqlAdapterFactory, engineAdapter };
}

/** The engine never clears its deadline of 10 s for a lock, which would keep every process alive for as long. */
function withoutHeldTimers(bindings: object): object {
  const entries = Object.entries(bindings).map(([name, value]) => {
    if (!name.startsWith('__wbg_setTimeout_')) return [name, value];
    return [name, (...args: unknown[]) => (value as (...args: unknown[]) => NodeJS.Timeout)(...args).unref()];
  });
  return Object.fromEntries(entries);
}

function migrationList(migrations: Migration[], shadowDbInitScript = '') {
  return {
    baseDir: 'migrations',
    lockfile: { path: 'migration_lock.toml', content: 'provider = "postgresql"\n' },
    shadowDbInitScript,
    migrationDirectories: migrations.map(({ name, sql }) => ({
      path: name,
      migrationFile: { path: 'migration.sql', content: { tag: 'ok' as const, value: inOneTransaction(sql) } },
    })),
  };
}

/** The engine reports a failed migration as JSON in the message, or as an object. */
function engineMessage(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  const inner = /"message"\s*:\s*"((?:[^"\\]|\\.)*)"/.exec(text)?.[1];
  return inner === undefined ? text : JSON.parse(`"${inner}"`);
}
