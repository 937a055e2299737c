import { CohortDefinition, CohortFilter, cohortStates } from '@tandem/analytics-contract';
import { id, unknownId } from '@tandem/contract';
import { fail, failField, toJsonColumn } from '@tandem/service';
import { isTaken } from '@tandem/tenant-db';
import { z } from 'zod';
import type { CohortDefinition as CohortRow } from '../../generated/client.ts';
import type { Tx } from '../../handler.ts';
import type { Cohort } from './members.ts';

const payload = z.object({ cohortDefinitionId: id('cohort_definition') });
export type CohortPayload = z.output<typeof payload>;
/** The job that stores the leads of a static cohort. */
export const countCohortJob = { name: 'count-cohort', payload };
/** The job that removes the stored leads of a deleted cohort. */
export const removeCohortMembersJob = { name: 'remove-cohort-members', payload };

const columns = CohortDefinition.pick({ status: true, filter: true });

/** Converts a row to the contract's `CohortDefinition`. */
export function asCohort(row: CohortRow) {
  const { nameKey, isStatic, errorCode, errorMessage, ...shown } = row;
  const { status, filter } = columns.parse(row);
  return {
    ...shown,
    ...{ status, filter, static: isStatic },
    allowedTransitions: isStatic ? cohortStates.next(status) : [],
    error: errorCode === null ? null : { code: errorCode, message: errorMessage ?? '' },
  };
}

/** The filter of a cohort as it is stored. */
export function toFilterColumn(filter: z.output<typeof CohortFilter>) {
  return toJsonColumn(z.encode(CohortFilter, filter));
}

/** Names differ by more than case. */
export function nameKeyOf(name: string): string {
  return name.toLowerCase();
}

/** Converts a unique violation of the name to a 409. */
export function nameError(error: unknown): unknown {
  if (!isTaken(error)) return error;
  return fail('name_taken', [{ field: 'name', message: 'Must be unique; another cohort has this name' }]);
}

export async function lockCohort(tx: Tx, cohortId: number): Promise<CohortRow> {
  const row = await tx.cohortDefinition.lockFirst({ where: { id: cohortId } });
  if (!row) throw fail('not_found');
  return row;
}

/** The data of the events of a saved cohort. */
export function eventOf({ id: cohortDefinitionId, name }: { id: number; name: string }) {
  return { data: { cohortDefinitionId, name }, record: { id: cohortDefinitionId } };
}

const notCounted = {
  counting: 'Is a cohort whose leads are still being counted; try again in a few seconds',
  failed: 'Is a cohort whose leads could not be counted; refresh it, or read its error',
} as const;

/**
 * The cohort that a query names; undefined if it names none.
 * @throws ApiError `validation_failed` for `cohortId`
 */
export async function findCohort(tx: Tx, cohortId: number | undefined): Promise<Cohort | undefined> {
  if (cohortId === undefined) return undefined;
  const found = await readCohort(tx, cohortId);
  if (typeof found === 'string') throw failField('cohortId', found);
  return found;
}

/** A cohort, or the error of a field that names one without leads to limit a query to. */
export async function readCohort(tx: Tx, cohortId: number): Promise<Cohort | string> {
  const row = await tx.cohortDefinition.findFirst({ where: { id: cohortId } });
  if (!row) return unknownId('cohort_definition');
  const { isStatic, countedAt } = row;
  const { status, filter } = columns.parse(row);
  // A refresh that runs or failed leaves the leads from before.
  if (isStatic && countedAt === null && status !== 'ready') return notCounted[status];
  return { id: row.id, isStatic, filter };
}
