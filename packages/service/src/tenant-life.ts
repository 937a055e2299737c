import { tenantDataRemoved, tenantDeletionDue, tenantResumed, tenantSuspended } from '@tandem/contract';
import { type ConsumerContext, consumer } from '@tandem/events';
import { type JobContext, job, resumeRows } from '@tandem/jobs';
import type { Scope, TenantDb, Tx } from '@tandem/tenant-db';
import { z } from 'zod';
import { removeTenantRows } from './remove-tenant-rows.ts';

/** Removal of a tenant's data beyond the rows of the service's database. */
export interface TenantRemoval<Client> {
  /**
   * Removes what the service keeps outside of its database, such as objects. Must be repeatable.
   * @param inEachEnvironment runs work within each environment of the tenant, with a client for its rows
   */
  before?: (tenantId: number, inEachEnvironment: InEachEnvironment<Client>) => Promise<void>;
  /** Replaces the event `tenant.data_removed`, in the transaction that ends the removal. */
  done?: (inside: { tx: Tx<Client>; tenantId: number; rows: number }) => Promise<void>;
  /** The service begins its own removal, after those of the other services. */
  isLast?: true;
}

type InEachEnvironment<Client> = (work: (tx: Tx<Client>) => Promise<void>) => Promise<void>;

/** Job that removes all data of its tenant, whose state in this service must be `removing`. */
export const removeTenantJob = { name: 'remove-tenant', payload: z.object({}) };
const resumeJobsJob = { name: 'resume-jobs', payload: z.object({}) };

const states = {
  'tenant.suspended': 'suspended',
  'tenant.resumed': 'active',
  'tenant.deletion_due': 'removing',
} as const;
// Requests, consumers and jobs that began before the state changed end within this time.
const settleMs = 5_000;
// A run has its lease for at most 10 minutes; a large removal continues in the next run.
const removalMs = 300_000;
const resumeMax = 5_000;
// A run that read the state just before the tenant was resumed may pause its rows just after they were resumed.
const againMs = 30_000;

/**
 * Every service follows the state of its tenants: jobs of a suspended tenant are paused (packages/jobs), and all data of
 * a deleted one is removed. The state `removed` is kept, so that late events and jobs are dropped.
 */
export function followTenants<Client>(options: {
  service: string;
  db: TenantDb<Client>;
  removal: TenantRemoval<Client> | undefined;
}) {
  const { service, db, removal = {} } = options;
  const inEachEnvironment = async (tenantId: number, work: (scope: Scope) => Promise<void>) => {
    for (const environment of ['live', 'sandbox'] as const) {
      const scope = { tenantId, environment };
      await db.within(scope, () => work(scope));
    }
  };

  const followTenant = consumer({
    name: 'follow-tenant',
    on: [tenantSuspended, tenantResumed, tenantDeletionDue],
    // Identity repeats the request to remove until every service has answered.
    ofRemovedTenants: true,
    async handle(events, { tx, schedule }: ConsumerContext<Tx<Client>>) {
      const inOrder = events.toSorted((one, other) => one.record.version - other.record.version);
      for (const { name, record } of inOrder) {
        const state = states[name];
        // Identity still collects the reports of the other services. Their events would be dropped.
        if (state === 'removing' && removal.isLast) continue;
        const [applied] =
          await tx.sql`INSERT INTO platform.tenant_state (state, version) VALUES (${state}, ${record.version})
          ON CONFLICT (tenant_id) DO UPDATE SET state = excluded.state, version = excluded.version, changed_at = now()
          -- A tenant restored from a backup and deleted again may have a lower version.
          WHERE tenant_state.version <= excluded.version OR (tenant_state.state, excluded.state) = ('removed', 'removing')
          RETURNING tenant_id`;
        if (!applied) continue;
        if (state === 'active') {
          await schedule(resumeJobsJob, [{}]);
          await schedule(resumeJobsJob, [{}], new Date(Date.now() + againMs));
        }
        if (state === 'removing') await schedule(removeTenantJob, [{}], new Date(Date.now() + settleMs));
      }
    },
  });

  const resumeJobs = job({
    ...resumeJobsJob,
    async run({ tx, finish }: JobContext<object, Tx<Client>>) {
      const { tenantId, state } = await readState(tx);
      if (state === 'active')
        await inEachEnvironment(tenantId, async () => {
          while ((await resumeRows(db.tx.sql, resumeMax)) === resumeMax);
        });
      await finish(async () => {});
    },
  });

  const removeTenant = job({
    ...removeTenantJob,
    whileSuspended: true,
    async run({ tx, outside, finish }: JobContext<object, Tx<Client>>) {
      const { tenantId, state } = await readState(tx);
      if (state !== 'removing') return;
      await outside(async () => removal.before?.(tenantId, (work) => inEachEnvironment(tenantId, () => work(db.tx))));
      const until = Date.now() + removalMs;
      let removed = 0;
      // Until a pass finds nothing: rows may have been written while the first one ran.
      for (let last = -1; removed > last && Date.now() < until; ) {
        last = removed;
        await inEachEnvironment(tenantId, async () => {
          removed += await removeTenantRows(db.tx.sql, { ownJob: removeTenantJob.name, until });
        });
      }
      await finish(async ({ tx: last, emit }) => {
        if (Date.now() >= until) {
          await last.sql`UPDATE platform.tenant_state SET removed_rows = removed_rows + ${removed}::bigint`;
          return new Date();
        }
        const [total] = await last.sql<{ rows: number }>`UPDATE platform.tenant_state
          SET state = 'removed', removed_rows = removed_rows + ${removed}::bigint, changed_at = now()
          RETURNING removed_rows AS rows`;
        const rows = total?.rows ?? removed;
        if (removal.done) await removal.done({ tx: last, tenantId, rows });
        else emit(tenantDataRemoved, { data: { tenantId, service, rows }, record: { id: tenantId } });
      });
    },
  });
  return { consumer: followTenant, jobs: [resumeJobs, removeTenant] };
}

/** Whether the data of the tenant of the scope is being removed or was removed. */
export async function isRemoved<Client>(tx: Tx<Client>): Promise<boolean> {
  const { state } = await readState(tx);
  return state === 'removing' || state === 'removed';
}

/** The state of the tenant of the scope, as the service knows it. */
export async function readState<Client>(tx: Tx<Client>): Promise<{ tenantId: number; state: string }> {
  const [row] = await tx.sql<{ tenantId: number; state: string }>`SELECT platform.tenant_id() AS "tenantId",
    coalesce((SELECT state FROM platform.tenant_state WHERE tenant_id = platform.tenant_id()), 'active') AS state`;
  return row as NonNullable<typeof row>;
}
