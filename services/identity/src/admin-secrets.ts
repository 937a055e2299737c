// Commands of `npm run admin` that show whether a previous secret is still in use.
import type { ServiceClient } from '@tandem/client/internal';
import type { internalSecrets } from '@tandem/identity-contract';
import type { IdCodec } from '@tandem/ids';
import { readMetrics } from './admin-services.ts';

type Rows = (string | number)[][];

interface SecretsAdmin {
  identity: ServiceClient<typeof internalSecrets>;
  as: { environment: 'live'; requestId: string };
  ids: IdCodec;
}

/** Counts values encrypted with each key, by service and column. Services update counts every 5 minutes. */
export async function sealedValues(): Promise<Rows> {
  return (await readMetrics()).flatMap(({ service, text = '' }) =>
    [...text.matchAll(/^tandem_sealed_values\{(.*)\} (\d+)$/gm)].map(([, labels, count]) => {
      const label = (name: string) => new RegExp(`\\b${name}="([^"]*)"`).exec(labels as string)?.[1] ?? '';
      return [label('key') || '(no id)', service, `${label('table')}.${label('column')}`, count as string];
    }),
  );
}

/** Active API keys whose hash uses a previous pepper. */
export async function outdatedKeys({ identity, as, ids }: SecretsAdmin): Promise<Rows> {
  const rows: Rows = [];
  for (let after: string | null = null; ; ) {
    const page: Awaited<ReturnType<typeof identity.listOutdatedKeys>> = await identity.listOutdatedKeys({
      body: { after },
      as,
    });
    for (const { tenantId, keyId, name, last4, lastUsedAt, expiresAt } of page.keys) {
      const key = ids.encode('api_key', tenantId, keyId);
      const tenant = ids.encode('tenant', tenantId, tenantId);
      rows.push([key, tenant, `…${last4}`, formatDay(lastUsedAt), formatDay(expiresAt), name]);
    }
    after = page.next;
    if (after === null) return rows;
  }
}

/** Rehashes all e-mail addresses with the current pepper. */
export async function rehashAddresses({
  identity,
  as,
}: Pick<SecretsAdmin, 'identity' | 'as'>): Promise<{ rehashed: number; left: number }> {
  const total = { rehashed: 0, left: 0 };
  for (let after: number | null = null; ; ) {
    const done: Awaited<ReturnType<typeof identity.rehashAddresses>> = await identity.rehashAddresses({
      body: { after },
      as,
    });
    total.rehashed += done.rehashed;
    total.left += done.left;
    after = done.next;
    if (after === null) return total;
  }
}

function formatDay(time: Date | null): string {
  return time === null ? 'never' : time.toISOString().slice(0, 10);
}
