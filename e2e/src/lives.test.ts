import { globSync, readdirSync, readFileSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { type EventDef, StateTable } from '@tandem/contract';

const root = resolve(import.meta.dirname, '../..');
const contracts: object[] = await Promise.all(
  readdirSync(resolve(root, 'services')).map(
    (service) => import(resolve(root, 'services', service, 'contract/index.ts')),
  ),
);

/** Declared events that nothing fires yet, because the operations that fire them are not built. */
const unfired: readonly string[] = [];

/** The events that a service declares, with the names under which its contract exports them. */
function eventsOf(contract: object): [exported: string, event: EventDef][] {
  return Object.entries(contract).filter(
    (entry): entry is [string, EventDef] =>
      typeof entry[1]?.action === 'string' && typeof entry[1]?.target === 'string',
  );
}

/**
 * The code that can fire events: services and packages without tests, imports, types, and the lists of events that
 * consumers and webhooks receive.
 */
function firingCode(): string {
  const exclude = ['**/generated/**', '**/*.test.ts', 'services/integrations/src/catalogue.ts'];
  const paths = globSync(['services/*/src/**/*.ts', 'packages/*/src/**/*.ts'], { cwd: root, exclude });
  return paths
    .map((path) => readFileSync(resolve(root, path), 'utf8'))
    .join('\n')
    .replaceAll(/^import [^;]*;/gm, '')
    .replaceAll(/\bon: \[[^\]]*\]/g, '')
    .replaceAll(/\btypeof \w+/g, '')
    .replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*/g, '');
}

it('every declared event is fired by an operation, a job or a consumer', () => {
  const words = new Set(firingCode().match(/\b\w+\b/g));
  const silent = contracts.flatMap((contract) =>
    eventsOf(contract).flatMap(([exported, { name }]) => (words.has(exported) ? [] : [name])),
  );
  // Remove an entry when its event is fired.
  expect(silent.sort()).toEqual([...unfired].sort());
});

it('every event of the rows of an operation is declared by a contract', () => {
  const declared = new Set(contracts.flatMap((contract) => eventsOf(contract).map(([, { name }]) => name)));
  const rows = contracts.flatMap((contract) =>
    Object.values(contract).flatMap((value) => (typeof value === 'object' && value ? Object.values(value) : [])),
  );
  const emitted = rows.flatMap((row) => ((row as { emits?: EventDef[] } | null)?.emits ?? []).map(({ name }) => name));
  expect(emitted.length).toBeGreaterThan(0);
  expect(emitted.filter((name) => !declared.has(name))).toEqual([]);
});

/** Statuses that a schema declares, but that nothing sets, because the operations that set them are not built. */
const unreached: readonly string[] = [];

interface Schema {
  _zod?: { def: { shape?: Record<string, Schema>; element?: Schema; innerType?: Schema } };
  options?: readonly string[];
}

/** Every status that `allowedTransitions` of a record can name: `Lead.contacted`. */
function namedStatuses(): string[] {
  const found = contracts.flatMap((contract) =>
    Object.entries(contract as Record<string, Schema>).flatMap(([name, schema]) => {
      let field = schema?._zod?.def.shape?.['allowedTransitions'];
      while (field?._zod?.def.innerType) field = field._zod.def.innerType;
      // LeadDetail, WorkflowSummary, TaskWithNext and PartnerWithNote have the statuses of Lead, Workflow, Task and Partner.
      const resource = name.replace(/(Detail|Summary|WithNext|WithNote)$/, '').replace(/^BulkRunItem$/, 'Execution');
      return (field?._zod?.def.element?.options ?? []).map((status) => `${resource}.${status}`);
    }),
  );
  return [...new Set(found)].sort();
}

const performers = contracts
  .flatMap((contract) => Object.values(contract))
  .filter((value) => value instanceof StateTable)
  .flatMap((table) => table.performers());

it('every status that a schema declares is set by something in a state table', () => {
  const reached = [...new Set(performers.map(([status]) => status))];
  // Remove an entry when an operation, job or consumer sets the status.
  expect(namedStatuses().filter((status) => !reached.includes(status))).toEqual([...unreached]);
  expect(reached.filter((status) => !namedStatuses().includes(status))).toEqual([]);
});

it('every change in a state table is made by an operation, a job or a consumer', () => {
  const rows = contracts.flatMap((contract) =>
    Object.values(contract).flatMap((value) => (typeof value === 'object' && value ? Object.values(value) : [])),
  ) as { id?: unknown; method?: string }[];
  const writes = rows.filter((row) => row?.method && row.method !== 'GET').map((row) => row.id);
  const files = globSync('services/*/src/features/**/*.ts', { cwd: root }).map((path) => basename(path, '.ts'));
  const existing = new Set<unknown>([...writes, ...files]);
  const missing = new Set(performers.map(([, performer]) => performer).filter((name) => !existing.has(name)));
  expect([...missing]).toEqual([]);
});
