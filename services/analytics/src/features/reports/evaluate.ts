import { Cohorts, Dashboard, Funnel, type NumbersReport } from '@tandem/analytics-contract';
import type { Caller } from '@tandem/caller';
import { type FieldError, walkIds } from '@tandem/contract';
import { compileRewriter, type IdCodec } from '@tandem/ids';
import { fail, readFields } from '@tandem/service';
import { z } from 'zod';
import type { Tx } from '../../handler.ts';
import { readCohorts } from '../cohorts/get-cohorts.ts';
import { readDashboard } from '../dashboard/get-dashboard.ts';
import { readBuiltInFunnel } from '../funnels/get-funnel.ts';
import { readFunnel } from '../funnels/query-funnel.ts';
import { type Missing, warnOfRemovedEvents } from '../retention/index.ts';
import { daysOf } from './periods.ts';
import { queries } from './report-query.ts';
import type { ReportTools } from './tools.ts';
import { userNamesOf } from './user-names.ts';

interface Evaluating {
  tx: Tx;
  caller: Caller;
  /** The time from which moving periods are counted, the same in every attempt. */
  now: Date;
  /** The time zone of moving periods, for a query without one. */
  zone: string;
}

/**
 * The numbers of a report, as the operation for them answers, with public ids, and `warnings` if parts of them lack something.
 * No transaction may be open.
 */
export async function evaluate(
  tools: ReportTools,
  evaluating: Evaluating,
  report: { type: NumbersReport; wireQuery: Record<string, unknown> },
): Promise<Record<string, unknown>> {
  const warnings: string[] = [];
  const missing: Missing = (_part, message) => void warnings.push(message);
  const numbers = await numbersOf(tools, { ...evaluating, missing }, report);
  return warnings.length ? { ...numbers, warnings } : numbers;
}

async function numbersOf(
  tools: ReportTools,
  { tx, caller, now, zone, missing }: Evaluating & { missing: Missing },
  { type, wireQuery }: { type: NumbersReport; wireQuery: Record<string, unknown> },
): Promise<Record<string, unknown>> {
  const fixed = <Query extends Moving>({ period, ...query }: Query) => ({
    ...query,
    ...(period && daysOf(period, query.timezone ?? zone, now)),
  });
  const published = publisher(tools.ids, caller.tenantId as number);
  const reading = { tx, caller, missing };
  if (type === 'dashboard')
    return published(Dashboard, await readDashboard(tools, reading, fixed(readStored(queries.dashboard, wireQuery))));
  if (type === 'cohort')
    return published(Cohorts, await readCohorts(tools, reading, fixed(readStored(queries.cohort, wireQuery))));
  if (wireQuery['steps'] === undefined)
    return published(Funnel, await readBuiltInFunnel(tools, reading, fixed(readStored(queries.funnel, wireQuery))));
  const funnel = await readFunnel(tools, reading, fixed(readStored(queries.funnelOfSteps, wireQuery)));
  await warnOfRemovedEvents(reading, { part: 'steps', from: funnel.period.from });
  const userNames = await userNamesOf(tools.identity, funnel.breakdown, caller);
  return withUserNames(published(Funnel, funnel), userNames);
}

/** Adds the names of users to the groups of a result, which people read without looking ids up. */
function withUserNames(
  result: Record<string, unknown>,
  userNames: (string | null)[] | undefined,
): Record<string, unknown> {
  if (!userNames) return result;
  const groups = result['breakdown'] as object[];
  return { ...result, breakdown: groups.map((group, index) => ({ ...group, userName: userNames[index] ?? null })) };
}

/** A stored query may have values that an earlier release accepted: the run then fails with the fields that have them. */
function readStored<Schema extends z.ZodType>(schema: Schema, stored: Record<string, unknown>): z.output<Schema> {
  const errors: FieldError[] = [];
  const read = readFields(schema, stored, errors);
  if (errors.length) throw fail('validation_failed', errors);
  return read as z.output<Schema>;
}

interface Moving {
  period?: Parameters<typeof daysOf>[0] | undefined;
  timezone?: string | undefined;
}

/** Converts a reply to what clients get, so that a later release shows it as it was. */
function publisher(ids: IdCodec, tenantId: number) {
  return <Schema extends z.ZodType>(schema: Schema, reply: z.output<Schema>): Record<string, unknown> => {
    const wire = z.encode(schema, reply) as Record<string, unknown>;
    compileRewriter(walkIds(schema))(wire, (type, value) => ids.encode(type, tenantId, Number(value)));
    return wire;
  };
}
