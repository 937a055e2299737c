import { Cohorts, Dashboard, Funnel, type NumbersReport } from '@tandem/analytics-contract';
import type { Caller } from '@tandem/caller';
import { walkIds } from '@tandem/contract';
import { compileRewriter, type IdCodec } from '@tandem/ids';
import { z } from 'zod';
import type { Tx } from '../../handler.ts';
import { readCohorts } from '../cohorts/get-cohorts.ts';
import { readTimezone } from '../counting/index.ts';
import { readDashboard } from '../dashboard/get-dashboard.ts';
import { readBuiltInFunnel } from '../funnels/get-funnel.ts';
import { readFunnel } from '../funnels/query-funnel.ts';
import { daysOf } from './periods.ts';
import { queries } from './report-query.ts';
import type { ReportTools } from './tools.ts';

interface Evaluating {
  tx: Tx;
  caller: Caller;
  /** The time from which moving periods are counted, the same in every attempt. */
  now: Date;
}

/** The numbers of a report, as the operation for them answers, with public ids. No transaction may be open. */
export async function evaluate(
  tools: ReportTools,
  { tx, caller, now }: Evaluating,
  { type, wireQuery }: { type: NumbersReport; wireQuery: Record<string, unknown> },
): Promise<Record<string, unknown>> {
  const { timezone } = await readTimezone(tx);
  const fixed = <Query extends Moving>({ period, ...query }: Query) => ({
    ...query,
    ...(period && daysOf(period, query.timezone ?? timezone, now)),
  });
  const published = publisher(tools.ids, caller.tenantId as number);
  if (type === 'dashboard')
    return published(Dashboard, await readDashboard(tools, { tx, caller }, fixed(queries.dashboard.parse(wireQuery))));
  if (type === 'cohort')
    return published(Cohorts, await readCohorts(tools, { tx, caller }, fixed(queries.cohort.parse(wireQuery))));
  if (wireQuery['steps'] === undefined)
    return published(Funnel, await readBuiltInFunnel(tools, { tx, caller }, fixed(queries.funnel.parse(wireQuery))));
  return published(Funnel, await readFunnel(tools, { tx, caller }, fixed(queries.funnelOfSteps.parse(wireQuery))));
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
