import { setTimeout as delay } from 'node:timers/promises';
import type { Caller } from '@tandem/caller';
import type { ServiceClient } from '@tandem/client/internal';
import { documentTypes, type internalSearch, rebuildSteps } from '@tandem/search-contract';

/** A place in a rebuild. Pages are idempotent, so going on from an earlier place than the last is safe. */
interface Place {
  tenantId: number;
  environment: 'live' | 'sandbox';
  type: (typeof documentTypes)[number];
  step: (typeof rebuildSteps)[number];
  after: number | null;
}

interface RebuildOptions {
  /** Records per second, over all tenants. */
  rate: number;
  /** Where an interrupted rebuild goes on, as its last line printed. */
  from: string | undefined;
}

const environments = ['live', 'sandbox'] as const;

/**
 * Rebuilds the documents of tenants page by page and prints the progress. The service of search reads the records from their
 * owners and writes its index itself; live events continue meanwhile.
 */
export async function rebuildSearch(
  search: ServiceClient<typeof internalSearch>,
  tenants: readonly number[],
  { options, as }: { options: RebuildOptions; as: Pick<Caller, 'requestId'> },
): Promise<boolean> {
  let from = options.from === undefined ? undefined : parsePlace(options.from);
  const total = { indexed: 0, removed: 0 };
  for (const start of partsOf(tenants)) {
    if (from && !isSamePart(start, from)) continue;
    let place: Place | undefined = from ?? start;
    from = undefined;
    while (place) {
      const { tenantId, environment, type, step, after }: Place = place;
      const begunAt = performance.now();
      const page = await search.rebuildDocuments({
        body: { type, step, after },
        as: { ...as, tenantId, environment },
      });
      total.indexed += page.indexed;
      total.removed += page.removed;
      place = page.next === null ? undefined : { ...place, after: page.next };
      if (!place) break;
      console.log(`${total.indexed} indexed, ${total.removed} removed; to go on from here: --from ${placeText(place)}`);
      const pageMs = (1_000 * (page.indexed + page.removed)) / options.rate;
      await delay(Math.max(0, pageMs - (performance.now() - begunAt)));
    }
  }
  if (from) throw new Error('--from names a tenant that is not rebuilt here');
  console.log(`Done: ${total.indexed} indexed, ${total.removed} removed`);
  return true;
}

function partsOf(tenants: readonly number[]): Place[] {
  return tenants.flatMap((tenantId) =>
    environments.flatMap((environment) =>
      documentTypes.flatMap((type) => rebuildSteps.map((step) => ({ tenantId, environment, type, step, after: null }))),
    ),
  );
}

function isSamePart(one: Place, other: Place): boolean {
  return (
    one.tenantId === other.tenantId &&
    one.environment === other.environment &&
    one.type === other.type &&
    one.step === other.step
  );
}

function placeText({ tenantId, environment, type, step, after }: Place): string {
  return [tenantId, environment, type, step, after].join('/');
}

function parsePlace(text: string): Place {
  const [tenantId, environment, type, step, after] = text.split('/');
  const place = {
    tenantId: Number(tenantId),
    environment: environments.find((one) => one === environment),
    type: documentTypes.find((one) => one === type),
    step: rebuildSteps.find((one) => one === step),
    after: Number(after),
  };
  if (!place.environment || !place.type || !place.step || !Number.isSafeInteger(place.after))
    throw new Error(`--from takes what an interrupted rebuild printed, not "${text}"`);
  return place as Place;
}
