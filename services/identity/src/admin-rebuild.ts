import { setTimeout as delay } from 'node:timers/promises';
import type { Caller } from '@tandem/caller';
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
}

const environments = ['live', 'sandbox'] as const;

/**
 * Rebuilds a projection of tenants page by page and prints progress. The service that keeps it reads the records from the
 * services that own them; it keeps processing live events during the rebuild.
 */
export async function rebuildProjection(
  projection: Projection,
  tenants: readonly number[],
  options: RebuildOptions,
  { as, ids, connect }: Surroundings,
): Promise<boolean> {
  const parts = projection.parts(connect);
  let from = options.from === undefined ? undefined : parseCheckpoint(options.from, parts, ids);
  const total = { read: 0, written: 0, removed: 0 };
  for (const start of startsOf(parts, tenants)) {
    if (from && !isSamePart(start, from)) continue;
    let checkpoint: Checkpoint | undefined = from ?? start;
    from = undefined;
    while (checkpoint) {
      const { tenantId, environment, part, after }: Checkpoint = checkpoint;
      const startedAt = performance.now();
      const page = await part.rebuild({ after, as: { ...as, tenantId, environment } });
      total.read += page.read;
      total.written += page.written;
      total.removed += page.removed;
      checkpoint = page.next === null ? undefined : { ...checkpoint, after: page.next };
      if (!checkpoint) break;
      console.log(`${countsOf(total)}; to continue from here: --from ${serialize(checkpoint, ids)}`);
      const pageMs = (1_000 * page.read) / options.rate;
      await delay(Math.max(0, pageMs - (performance.now() - startedAt)));
    }
  }
  if (from) throw new UsageError('--from refers to a tenant that is not part of this rebuild.');
  console.log(`Done: ${countsOf(total)}`);
  return true;
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
