import { setTimeout as delay } from 'node:timers/promises';
import type { Caller } from '@tandem/caller';
import { ServiceCallError } from '@tandem/client/internal';
import type { IdCodec } from '@tandem/ids';
import { UsageError } from './admin-arguments.ts';
import type { Connect, Part, Projection } from './admin-projections.ts';

/** Position in a rebuild. Pages are idempotent, so resuming from an earlier checkpoint than the last one is safe. */
interface Checkpoint {
  tenantId: number;
  environment: (typeof environments)[number];
  part: Part;
  after: number | null;
}

interface RebuildOptions {
  /** Records per second across all tenants. */
  rate: number;
  /** Checkpoint that an interrupted rebuild printed last. */
  from: string | undefined;
}

interface Surroundings {
  as: Pick<Caller, 'requestId'>;
  ids: IdCodec;
  connect: Connect;
  /** Clock and output; those of the process by default. */
  now?: () => number;
  wait?: (ms: number) => Promise<unknown>;
  print?: (line: string) => void;
}

const environments = ['live', 'sandbox'] as const;
const progressMs = 1_000;
// 31 s together: longer than the restart of an instance during a release.
const retryDelaysMs = [1_000, 2_000, 4_000, 8_000, 16_000];

/**
 * Rebuilds a projection of tenants page by page and prints progress. The service that keeps it reads the records from the
 * services that own them; it keeps processing live events during the rebuild.
 * @throws with the position to continue from when a page still fails after its retries
 */
export async function rebuildProjection(
  projection: Projection,
  tenants: readonly number[],
  options: RebuildOptions,
  { as, ids, connect, now = () => performance.now(), wait = delay, print = console.log }: Surroundings,
): Promise<boolean> {
  const parts = projection.parts(connect);
  const starts = startsOf(parts, tenants);
  const from = options.from === undefined ? starts[0] : parseCheckpoint(options.from, parts, ids);
  let index = from ? starts.findIndex((start) => isSamePart(start, from)) : 0;
  if (index === -1) throw new UsageError('--from refers to a tenant that is not part of this rebuild.');
  const total = { read: 0, written: 0, removed: 0 };
  const describe = (position: Checkpoint) =>
    `${countsOf(total)}; to continue from here: --from ${serialize(position, ids)}`;
  let printedAt = now();
  for (let position = from; position; ) {
    const current: Checkpoint = position;
    const startedAt = now();
    if (startedAt - printedAt >= progressMs) {
      print(describe(current));
      printedAt = startedAt;
    }
    const page = await withRetries(() => rebuildPage(current, as), { wait, print }).catch((error: Error) => {
      throw new Error(`${error.message}; ${describe(current)}`, { cause: error });
    });
    total.read += page.read;
    total.written += page.written;
    total.removed += page.removed;
    position = page.next === null ? starts[++index] : { ...current, after: page.next };
    if (position) await wait(Math.max(0, (1_000 * page.read) / options.rate - (now() - startedAt)));
  }
  print(`Done: ${countsOf(total)}`);
  return true;
}

function rebuildPage({ tenantId, environment, part, after }: Checkpoint, as: Pick<Caller, 'requestId'>) {
  return part.rebuild({ after, as: { ...as, tenantId, environment } });
}

/** Repeats a call that fails because a service or a store is unavailable for a moment, such as during a release. */
async function withRetries<T>(
  call: () => Promise<T>,
  { wait, print }: Required<Pick<Surroundings, 'wait' | 'print'>>,
): Promise<T> {
  for (const delayMs of retryDelaysMs) {
    try {
      return await call();
    } catch (error) {
      if (!isTransient(error)) throw error;
      print(`${error.message}; retrying in ${delayMs / 1_000} s`);
      await wait(delayMs);
    }
  }
  return call();
}

function isTransient(error: unknown): error is ServiceCallError {
  return error instanceof ServiceCallError && (error.status >= 500 || error.status === 429);
}

function countsOf({ read, written, removed }: { read: number; written: number; removed: number }): string {
  return `${read} records read, ${written} rows written, ${removed} removed`;
}

function startsOf(parts: readonly Part[], tenants: readonly number[]): Checkpoint[] {
  return tenants.flatMap((tenantId) =>
    environments.flatMap((environment) => parts.map((part) => ({ tenantId, environment, part, after: null }))),
  );
}

function isSamePart(one: Checkpoint, other: Checkpoint): boolean {
  return one.tenantId === other.tenantId && one.environment === other.environment && one.part === other.part;
}

// The id of the last record, which is most often a lead. Some pages end at the id of a row that has no public id; it gets
// a code all the same. Ids begin at 1, so 0 is the beginning.
const positionType = 'lead';

function serialize({ tenantId, environment, part, after }: Checkpoint, ids: IdCodec): string {
  const tenant = ids.encode('tenant', tenantId, tenantId);
  return [tenant, environment, part.name, ids.encode(positionType, tenantId, after ?? 0)].join('/');
}

function parseCheckpoint(text: string, parts: readonly Part[], ids: IdCodec): Checkpoint {
  // The name of a part may contain a slash.
  const [, tenant = '', environmentName, partName, code = ''] = /^([^/]+)\/([^/]+)\/(.+)\/([^/]+)$/.exec(text) ?? [];
  const environment = environments.find((one) => one === environmentName);
  const part = parts.find(({ name }) => name === partName);
  const tenantId = ids.decode('tenant', undefined, tenant);
  const after = tenantId && ids.decode(positionType, tenantId, code);
  if (!environment || !part || !tenantId || after === undefined)
    throw new UsageError(`--from must be a position that an interrupted rebuild of this name printed, not "${text}".`);
  return { tenantId, environment, part, after: after || null };
}
