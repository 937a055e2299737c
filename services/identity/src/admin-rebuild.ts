import { setTimeout as delay } from 'node:timers/promises';
import type { Caller } from '@tandem/caller';
import type { ServiceClient } from '@tandem/client/internal';
import { documentTypes, type internalSearch, rebuildSteps } from '@tandem/search-contract';

/** Position in a rebuild. Pages are idempotent, so resuming from an earlier checkpoint than the last one is safe. */
interface Checkpoint {
  tenantId: number;
  environment: 'live' | 'sandbox';
  type: (typeof documentTypes)[number];
  step: (typeof rebuildSteps)[number];
  after: number | null;
}

interface RebuildOptions {
  /** Records per second across all tenants. */
  rate: number;
  /** Checkpoint that an interrupted rebuild printed last. */
  from: string | undefined;
}

const environments = ['live', 'sandbox'] as const;

/**
 * Rebuilds the search documents of tenants page by page and prints progress. The search service reads the records from
 * the services that own them and writes its own index; it keeps processing live events during the rebuild.
 */
export async function rebuildSearch(
  search: ServiceClient<typeof internalSearch>,
  tenants: readonly number[],
  { options, as }: { options: RebuildOptions; as: Pick<Caller, 'requestId'> },
): Promise<boolean> {
  let from = options.from === undefined ? undefined : parseCheckpoint(options.from);
  const total = { indexed: 0, removed: 0 };
  for (const start of startsOf(tenants)) {
    if (from && !isSameStep(start, from)) continue;
    let checkpoint: Checkpoint | undefined = from ?? start;
    from = undefined;
    while (checkpoint) {
      const { tenantId, environment, type, step, after }: Checkpoint = checkpoint;
      const startedAt = performance.now();
      const page = await search.rebuildDocuments({
        body: { type, step, after },
        as: { ...as, tenantId, environment },
      });
      total.indexed += page.indexed;
      total.removed += page.removed;
      checkpoint = page.next === null ? undefined : { ...checkpoint, after: page.next };
      if (!checkpoint) break;
      console.log(
        `${total.indexed} indexed, ${total.removed} removed; to continue from here: --from ${serialize(checkpoint)}`,
      );
      const pageMs = (1_000 * (page.indexed + page.removed)) / options.rate;
      await delay(Math.max(0, pageMs - (performance.now() - startedAt)));
    }
  }
  if (from) throw new Error('--from refers to a tenant that is not part of this rebuild');
  console.log(`Done: ${total.indexed} indexed, ${total.removed} removed`);
  return true;
}

function startsOf(tenants: readonly number[]): Checkpoint[] {
  return tenants.flatMap((tenantId) =>
    environments.flatMap((environment) =>
      documentTypes.flatMap((type) => rebuildSteps.map((step) => ({ tenantId, environment, type, step, after: null }))),
    ),
  );
}

function isSameStep(one: Checkpoint, other: Checkpoint): boolean {
  return (
    one.tenantId === other.tenantId &&
    one.environment === other.environment &&
    one.type === other.type &&
    one.step === other.step
  );
}

function serialize({ tenantId, environment, type, step, after }: Checkpoint): string {
  return [tenantId, environment, type, step, after].join('/');
}

function parseCheckpoint(text: string): Checkpoint {
  const [tenantId, environment, type, step, after] = text.split('/');
  const checkpoint = {
    tenantId: Number(tenantId),
    environment: environments.find((one) => one === environment),
    type: documentTypes.find((one) => one === type),
    step: rebuildSteps.find((one) => one === step),
    after: Number(after),
  };
  if (!checkpoint.environment || !checkpoint.type || !checkpoint.step || !Number.isSafeInteger(checkpoint.after))
    throw new Error(`--from must be the position that an interrupted rebuild printed, not "${text}"`);
  return checkpoint as Checkpoint;
}
