import type { ServiceClient } from '@tandem/client/internal';
import { type Plan, planCodes } from '@tandem/contract';
import {
  deletionGraceDays,
  type internalAdmin,
  type internalTenantLife,
  SubscriptionStatus,
} from '@tandem/identity-contract';
import type { IdCodec } from '@tandem/ids';
import { z } from 'zod';
import { expectArguments, parseOptions, UsageError, wholeNumber } from './admin-arguments.ts';
import { printTable } from './admin-table.ts';

interface TenantAdmin {
  identity: ServiceClient<typeof internalAdmin & typeof internalTenantLife>;
  as: { environment: 'live'; requestId: string };
  ids: IdCodec;
}

/** Prints all tenants with their plans. */
export async function printTenants(admin: TenantAdmin): Promise<true> {
  const rows = (await listAllTenants(admin)).map(({ id, name, plan, status }) => [
    publicId(admin, id),
    id,
    plan,
    status,
    name,
  ]);
  return printTable(['TENANT', 'NUMBER', 'PLAN', 'STATUS', 'NAME'], rows);
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

const lifeCommands = ['suspend', 'resume', 'delete', 'show'] as const;

/** Suspends, resumes, deletes or shows a tenant. */
export async function changeTenantLife(admin: TenantAdmin, args: string[]): Promise<true> {
  const { values, positionals } = parseOptions(args);
  const [command, code] = expectArguments(positionals, 2);
  const id = tenantId(admin, code);
  const graceDays = wholeNumber('grace', values.grace, 0) ?? deletionGraceDays;
  if (graceDays > deletionGraceDays) throw new UsageError(`--grace must be at most ${deletionGraceDays} days.`);
  const input = { body: { tenantId: id }, as: admin.as };
  const run = {
    suspend: () =>
      admin.identity.suspendTenant({
        ...input,
        body: { tenantId: id, ...(values.reason && { reason: values.reason }) },
      }),
    resume: () => admin.identity.resumeTenant(input),
    delete: () => admin.identity.deleteTenant({ ...input, body: { tenantId: id, graceDays } }),
    show: () => admin.identity.showTenant(input),
  };
  if (!isLifeCommand(command))
    throw new UsageError(`"tenant ${command}" is not a command; use one of ${lifeCommands.join(', ')}.`);
  const { name, plan, status, suspension, subscription, deletion } = await run[command]();
  console.log(`${code}${name === null ? '' : ` (${name})`}, number ${id} in logs and tables, is ${status}.`);
  if (suspension)
    console.log(`Suspended since ${suspension.since.toISOString()}: ${suspension.reason ?? 'no reason was given'}.`);
  if (subscription) {
    const end = subscription.endsAt ? `, and ends at ${subscription.endsAt.toISOString()}` : '';
    console.log(`Its subscription is ${subscription.status} on the plan ${plan}${end}.`);
  }
  if (!deletion) return true;
  const { state, dueAt, completedAt, removed, waitingFor } = deletion;
  if (state === 'scheduled')
    console.log(
      `Its data will be deleted at ${dueAt.toISOString()}; until then: npm run admin -- tenant resume ${code}`,
    );
  if (state === 'completed') console.log(`Its data was deleted at ${completedAt?.toISOString()}.`);
  if (removed.length)
    printTable(
      ['SERVICE', 'REMOVED AT', 'ROWS'],
      removed.map(({ service, at, rows }) => [service, at.toISOString(), rows]),
    );
  if (waitingFor.length) console.log(`Waiting for: ${waitingFor.join(', ')}`);
  return true;
}

function isLifeCommand(command: string): command is (typeof lifeCommands)[number] {
  return (lifeCommands as readonly string[]).includes(command);
}

const trialDays = 14;

/** Starts a trial, records that a payment is due or was made, or ends a subscription. */
export async function setSubscription(admin: TenantAdmin, args: string[]): Promise<true> {
  const { values, positionals } = parseOptions(args);
  const [code, text] = expectArguments(positionals, 2);
  const status = readOption('status', text, SubscriptionStatus);
  const plan = values.plan === undefined ? null : readOption('plan', values.plan, z.enum(planCodes));
  if ((status === 'trialing') !== (plan !== null)) throw new UsageError('--plan is for trialing, which requires it.');
  const days = wholeNumber('days', values.days);
  const set = await admin.identity.setSubscriptionStatus({
    body: { tenantId: tenantId(admin, code), status, plan, days: days ?? trialDays },
    as: admin.as,
  });
  const end = set.endsAt ? `, and ends at ${set.endsAt.toISOString()}` : '';
  console.log(`The subscription of ${code} is ${set.status} on the plan ${set.planCode}${end}`);
  return true;
}

/** @throws UsageError unless the text is one of the values */
function readOption<Value extends z.ZodEnum>(name: string, text: string, schema: Value): z.output<Value> {
  const read = schema.safeParse(text);
  if (!read.success) throw new UsageError(`"${text}" is not a ${name}; use one of ${schema.options.join(', ')}.`);
  return read.data;
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
