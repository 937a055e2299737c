import {
  CohortQuery,
  dashboards,
  FunnelQuery,
  funnels,
  listReports,
  type NumbersReport,
  type ReportFormat,
  type ReportType,
  reportPeriods,
} from '@tandem/analytics-contract';
import type { Caller } from '@tandem/caller';
import { type FieldError, listFilters } from '@tandem/contract';
import type { IdCodec } from '@tandem/ids';
import { ApiError, fail, failField, storedObject } from '@tandem/service';
import { z } from 'zod';
import type { Peers, Tx } from '../../handler.ts';
import { readCohort } from '../cohort-definitions/cohort-definition.ts';
import { periodOf } from '../dashboard/period.ts';
import { checkInput, decodeIds } from '../exports/export-input.ts';
import type { Sources } from '../exports/source.ts';
import { unknownStages } from '../funnels/unknown-stages.ts';

const period = z.enum(reportPeriods).optional();

/** The queries of each type, in the form in which they are stored. */
export const queries = {
  dashboard: listFilters(dashboards.getDashboard.query.extend({ period })),
  funnelOfSteps: z.strictObject({ ...FunnelQuery.shape, period }),
  funnel: listFilters(funnels.getFunnel.query.extend({ period })),
  cohort: listFilters(CohortQuery.extend({ period })),
  list: z.strictObject({ filters: storedObject.default({}), columns: z.array(z.string()).optional(), period }),
};

interface Reading {
  crm: Peers['crm'];
  sources: Sources;
  ids: IdCodec;
  caller: Caller;
  tx: Tx;
  /** The field of the request that has the query. */
  field: string;
}

export type ListReport = (typeof listReports)[number];

export function isOfList(type: ReportType): type is ListReport {
  return (listReports as readonly string[]).includes(type);
}

/** A document of a whole list would be of no use. */
export function checkFormat(type: ReportType, format: ReportFormat): void {
  if (format === 'pdf' && isOfList(type)) throw failField('format', 'Must be csv or json for a report of a list');
}

/** The schema by which a query of numbers is read. */
export function numbersQuery(type: NumbersReport, query: Record<string, unknown>) {
  return type === 'funnel' && query['steps'] !== undefined ? queries.funnelOfSteps : queries[type];
}

/**
 * Checks the query of a report.
 * @param query as the client sent it, with public ids
 * @returns the query as it is stored for runs, with internal ids
 */
export async function readQuery(
  type: ReportType,
  query: Record<string, unknown>,
  reading: Reading,
): Promise<Record<string, unknown>> {
  const errors: FieldError[] = [];
  const wire = isOfList(type)
    ? await readListQuery(type, query, { ...reading, errors })
    : await readNumbersQuery(type, query, { ...reading, errors });
  if (errors.length) throw fail('validation_failed', errors);
  return wire;
}

interface Checking extends Reading {
  errors: FieldError[];
}

async function readNumbersQuery(
  type: NumbersReport,
  query: Record<string, unknown>,
  { crm, ids, caller, tx, errors, field }: Checking,
): Promise<Record<string, unknown>> {
  const schema = numbersQuery(type, query);
  errors.push(...unknownFieldsOf(schema, query, field));
  if (errors.length) return {};
  const wire = decodeIds(schema, query, { ids, tenantId: caller.tenantId as number, errors, field });
  if (errors.length) return {};
  const dates = wire as { dateFrom?: string; dateTo?: string; timezone?: string; period?: string };
  if (dates.period && (dates.dateFrom || dates.dateTo)) errors.push(bothPeriods(field));
  try {
    periodOf(dates, dates.timezone ?? 'UTC');
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    errors.push(...error.errors.map((one) => ({ ...one, field: `${field}.${one.field}` })));
  }
  if (wire['metric'] === 'revenue' && !wire['currency'])
    errors.push({ field: `${field}.currency`, message: 'Is required for the metric revenue' });
  const { cohortId } = wire;
  const cohort = cohortId === undefined ? undefined : await readCohort(tx, Number(cohortId));
  if (typeof cohort === 'string') errors.push({ field: `${field}.cohortId`, message: cohort });
  if (type === 'funnel' && wire['steps'] !== undefined) {
    const unknown = await unknownStages({ crm }, queries.funnelOfSteps.parse(wire), { caller, tx });
    errors.push(...unknown.map((one) => ({ ...one, field: `${field}.${one.field}` })));
  }
  return wire;
}

function unknownFieldsOf({ shape }: z.ZodObject, query: Record<string, unknown>, field: string): FieldError[] {
  const unknown = Object.keys(query).filter((name) => !Object.hasOwn(shape, name));
  if (!unknown.length) return [];
  const accepted = Object.keys(shape).join(', ');
  return [{ field, message: `Has unknown fields: ${unknown.join(', ')}; the fields of this type are ${accepted}` }];
}

async function readListQuery(
  type: ListReport,
  query: Record<string, unknown>,
  { sources, ids, caller, tx, errors, field }: Checking,
): Promise<Record<string, unknown>> {
  const read = decodeIds(queries.list, query, { ids, tenantId: caller.tenantId as number, errors, field });
  if (errors.length) return {};
  const { filters = {}, columns, period: moving } = queries.list.parse(read);
  if (moving && (filters['createdFrom'] !== undefined || filters['createdTo'] !== undefined))
    errors.push(bothPeriods(field));
  const input = await checkInput(
    { source: type, filters, columns },
    {
      sources,
      ids,
      caller,
      tx,
      errors,
      fields: { source: 'type', filters: `${field}.filters`, columns: `${field}.columns` },
    },
  );
  return { filters: input.wireFilters, columns: input.columns, ...(moving && { period: moving }) };
}

function bothPeriods(field: string): FieldError {
  return { field: `${field}.period`, message: 'Must not be sent together with dates' };
}
