import type { Emit } from '@tandem/events';
import { commissionPlanUpdated } from '@tandem/partner-contract';
import { fail } from '@tandem/service';
import { isTaken } from '@tandem/tenant-db';
import type { Tx } from '../../handler.ts';
import { asCommissionPlan, type Terms } from './plan.ts';

/** Stores an immutable version of terms; a version that exists stays. */
export async function storeVersion(
  tx: Tx,
  planId: number,
  { planVersion, terms, createdBy }: { planVersion: number; terms: Terms; createdBy: number | null },
): Promise<void> {
  await tx.commissionPlanVersion.createMany({
    data: [{ planId, planVersion, terms: JSON.parse(JSON.stringify(terms)), createdBy }],
    skipDuplicates: true,
  });
}

/**
 * Makes place for another default plan of the trigger. Locks the trigger, because two requests would otherwise both find
 * none.
 */
export async function replaceDefault(
  { tx, emit }: { tx: Tx; emit: Emit<typeof commissionPlanUpdated> },
  trigger: string,
): Promise<void> {
  await tx.sql`SELECT pg_advisory_xact_lock(hashtextextended('default plan ' || ${trigger},
    platform.tenant_id() * 2 + (platform.environment() = 'live')::int))`;
  const rows = await tx.commissionPlan.updateManyAndReturn({
    where: { trigger, isDefault: true },
    data: { isDefault: false, version: { increment: 1 } },
  });
  for (const row of rows)
    emit(commissionPlanUpdated, {
      data: { commissionPlanId: row.id },
      record: asCommissionPlan(row),
      changes: { isDefault: { from: true, to: false } },
    });
}

/** Turns the violation of the unique name into the error of the operation. */
export function nameTaken(error: unknown): never {
  throw isTaken(error)
    ? fail('name_taken', [{ field: 'name', message: 'Must be unique; another plan has this name' }])
    : error;
}
