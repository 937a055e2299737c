import { randomBytes } from 'node:crypto';
import { createCallerSigner } from '@tandem/caller';
import { createServiceClient } from '@tandem/client/internal';
import { internalAdmin } from '@tandem/identity-contract';
import { createIdCodec } from '@tandem/ids';
import type { TestFleet } from './fleet.ts';

/** A tenant created through the gateway. */
export interface TestTenant {
  id: string;
  email: string;
  password: string;
  userId: string;
  accessToken: string;
  refreshToken: string;
  live: string;
  sandbox: string;
  /** API client with the live key. */
  api: ReturnType<TestFleet['api']>;
  /** API client with the owner's token. */
  owner: ReturnType<TestFleet['api']>;
}

/**
 * The tokens of a login.
 * @throws Error when the user has a second factor
 */
export function tokensOf<Reply extends object>(reply: Reply): Extract<Reply, { accessToken: string }> {
  if (!('accessToken' in reply)) throw new Error('The login returned a challenge instead of tokens');
  return reply as Extract<Reply, { accessToken: string }>;
}

interface Limits {
  plan?: 'free' | 'starter' | 'pro' | 'team' | 'enterprise';
  monthlyCalls?: number;
  ratePerMinute?: number;
  burst?: number;
}

/** Creates a tenant with an API key for each environment; unlimited by default. */
export async function aTenant(fleet: Pick<TestFleet, 'api' | 'environment'>, limits: Limits = {}): Promise<TestTenant> {
  const email = `owner-${randomBytes(6).toString('hex')}@example.com`;
  const password = randomBytes(12).toString('base64url');
  const { data } = await fleet
    .api()
    .createTenant({ body: { name: 'A tenant', owner: { email, password, firstName: 'Ada', lastName: 'Lovelace' } } });
  const id = data.tenant.id as string;
  const { accessToken, refreshToken } = data;
  await setLimits(fleet, id, limits);
  const owner = fleet.api({ accessToken, tenantId: id });
  const [live, sandbox] = await Promise.all(
    (['live', 'sandbox'] as const).map(
      async (environment) =>
        (await owner.createApiKey({ body: { name: environment, environment } })).data.fullKey as string,
    ),
  );
  return {
    id,
    email,
    password,
    userId: data.user.id as string,
    accessToken,
    refreshToken,
    live: live as string,
    sandbox: sandbox as string,
    api: fleet.api({ apiKey: live as string }),
    owner,
  };
}

/** Sets the plan of a tenant, as an operator does. */
export async function setLimits(
  fleet: Pick<TestFleet, 'environment'>,
  tenantId: string,
  limits: Limits,
): Promise<void> {
  const { INTERNAL_SECRETS, IDENTITY_URL, IDS_ALPHABET } = fleet.environment.gateway as Record<string, string>;
  const admin = createServiceClient({
    operations: internalAdmin,
    baseUrl: IDENTITY_URL as string,
    service: 'e2e',
    signer: createCallerSigner(INTERNAL_SECRETS as string),
  });
  const number = createIdCodec(IDS_ALPHABET as string).decode('tenant', undefined, tenantId) as number;
  const { plan = 'enterprise', monthlyCalls, ratePerMinute, burst } = limits;
  const custom =
    plan === 'enterprise'
      ? { monthlyCalls: monthlyCalls ?? null, ratePerMinute: ratePerMinute ?? null, burst: burst ?? null }
      : {};
  await admin.setTenantPlan({
    body: { tenantId: number, plan, ...custom },
    as: { environment: 'live', requestId: 'e2e' },
  });
}
