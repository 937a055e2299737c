import type { ServiceClient } from '@tandem/client/internal';
import { type Plan, planCodes } from '@tandem/contract';
import type { internalAdmin } from '@tandem/identity-contract';
import type { IdCodec } from '@tandem/ids';
import { expectArguments, parseOptions, UsageError, wholeNumber } from './admin-arguments.ts';
import { printTable } from './admin-table.ts';

interface TenantAdmin {
  identity: ServiceClient<typeof internalAdmin>;
  as: { environment: 'live'; requestId: string };
  ids: IdCodec;
}

/** Prints all tenants with their plans. */
export async function printTenants(admin: TenantAdmin): Promise<true> {
  const rows = (await listAllTenants(admin)).map(({ id, name, plan, status }) => [
    publicId(admin, id),
    plan,
    status,
    name,
  ]);
  return printTable(['TENANT', 'PLAN', 'STATUS', 'NAME'], rows);
}

/** Sets the plan of a tenant, with the limits of an enterprise tenant. */
export async function setPlan(admin: TenantAdmin, args: string[]): Promise<true> {
  const { values, positionals } = parseOptions(args);
  const [code, plan] = expectArguments(positionals, 2);
  if (!(planCodes as string[]).includes(plan))
    throw new UsageError(`"${plan}" is not a plan; use one of ${planCodes.join(', ')}.`);
  const limits = {
    monthlyCalls: wholeNumber('monthly', values.monthly),
    ratePerMinute: wholeNumber('rate', values.rate),
    burst: wholeNumber('burst', values.burst),
  };
  if (plan !== 'enterprise' && Object.values(limits).some((limit) => limit !== null))
    throw new UsageError(`The plan ${plan} has fixed limits; only enterprise takes --monthly, --rate and --burst.`);
  const set = await admin.identity.setTenantPlan({
    body: { tenantId: tenantId(admin, code), plan: plan as Plan, ...limits },
    as: admin.as,
  });
  const formatLimit = (limit: number | null) => limit ?? 'unlimited';
  console.log(
    `${code} has the plan ${set.plan}. Calls per month: ${formatLimit(set.monthlyCalls)}, requests per minute: ${formatLimit(set.ratePerMinute)}, burst: ${formatLimit(set.burst)}`,
  );
  return true;
}

/**
 * Verifies the audit log of one or all tenants.
 * @returns whether every chain of hashes is intact
 */
export async function verifyAudit(admin: TenantAdmin, args: string[]): Promise<boolean> {
  const { values, positionals } = parseOptions(args);
  const named = expectArguments(positionals, values.all ? 0 : 1).map((code) => tenantId(admin, code));
  const tenants = values.all ? (await listAllTenants(admin)).map(({ id }) => id) : named;
  const rows = [];
  let isIntact = true;
  for (const id of tenants) {
    const { entries, purged, intact, firstBroken, reason } = await admin.identity.verifyAuditChain({
      body: { tenantId: id },
      as: admin.as,
    });
    isIntact &&= intact;
    const where = firstBroken === null ? '' : ` (entry ${admin.ids.encode('audit_log', id, firstBroken)})`;
    rows.push([publicId(admin, id), entries, purged, intact ? 'intact' : `BROKEN: ${reason}${where}`]);
  }
  printTable(['TENANT', 'ENTRIES', 'EXPIRED', 'CHAIN'], rows);
  return isIntact;
}

/** All tenants, page by page. */
export async function listAllTenants({ identity, as }: Pick<TenantAdmin, 'identity' | 'as'>) {
  const all = [];
  for (let after: number | null = null; ; ) {
    const page: Awaited<ReturnType<typeof identity.listTenants>> = await identity.listTenants({ body: { after }, as });
    all.push(...page);
    const last = page.at(-1);
    if (!last) return all;
    after = last.id;
  }
}

/** @throws UsageError unless the code is a tenant's public id */
export function tenantId({ ids }: Pick<TenantAdmin, 'ids'>, code: string): number {
  const id = ids.decode('tenant', undefined, code);
  if (id === undefined)
    throw new UsageError(`"${code}" is not a tenant id; npm run admin -- tenants lists the tenants.`);
  return id;
}

function publicId({ ids }: TenantAdmin, id: number): string {
  return ids.encode('tenant', id, id);
}
