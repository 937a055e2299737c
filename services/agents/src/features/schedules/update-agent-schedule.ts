import { type agentSchedules, scheduleUpdated } from '@tandem/agents-contract';
import { diff, failField, toJsonColumn } from '@tandem/service';
import { Prisma } from '../../generated/client.ts';
import type { Handler, Tools } from '../../handler.ts';
import { asSchedule, findSchedule, lockSchedule, nextRun, timetableOf, writeSchedule } from './schedule.ts';
import { checkTarget, columnsOfTarget, targetOf } from './target.ts';
import { checkTimetable, type Timetable } from './times.ts';

type Body = Parameters<typeof rulesOf>[0];

export const updateAgentSchedule = (tools: Tools): Handler<typeof agentSchedules.updateAgentSchedule> => ({
  async check({ params, body: { target }, caller, tx }) {
    await findSchedule(tx, caller, params.id);
    if (target) await checkTarget(tools, caller, target);
  },
  async run({ params, body, caller, ifMatch, ...context }) {
    const row = await lockSchedule(context.tx, caller, params.id);
    ifMatch(row);
    const before = asSchedule(row);
    const { target, cron: _, every: __, ...given } = body;
    const timetable = { ...timetableOf(row), ...definedTimes(body), ...rulesOf(body) };
    checkTimetable(timetable);
    const wanted = {
      ...given,
      ...rulesOf(body),
      ...(target && { target: targetOf(target) }),
    };
    const { isEmpty, values, audit } = diff(before, wanted);
    if (isEmpty) return before;
    const { target: ___, every, input, ...columns } = values;
    const isMoved = ['cron', 'every', 'timezone', 'startsAt', 'endsAt'].some((field) => field in values);
    const next = isMoved && before.status !== 'paused' ? nextRun(timetable, new Date()) : undefined;
    if (next && !next.nextRunAt) throw failField('endsAt', 'Leaves no time in the future');
    const written = await writeSchedule(context, row, {
      ...columns,
      ...(input !== undefined && { input: input ? toJsonColumn(input) : Prisma.DbNull }),
      ...(every !== undefined && { intervalValue: every?.value ?? null, intervalUnit: every?.unit ?? null }),
      ...(target && 'target' in values && columnsOfTarget(target)),
      ...next,
    });
    const record = asSchedule(written);
    const data = { agentScheduleId: row.id, agentId: row.agentId };
    context.emit(scheduleUpdated, { data, record, changes: audit });
    return record;
  },
});

/** The rule of a request: `cron` replaces an interval, and an interval replaces `cron`. */
function rulesOf({ cron, every }: { cron?: string | null | undefined; every?: Timetable['every'] | undefined }) {
  if (cron && every) throw failField('every', 'Must not be sent together with cron');
  if (cron) return { cron, every: null };
  if (every) return { cron: null, every };
  return { ...(cron === null && { cron }), ...(every === null && { every }) };
}

function definedTimes({
  timezone,
  startsAt,
  endsAt,
}: Body & Partial<Pick<Timetable, 'timezone' | 'startsAt' | 'endsAt'>>) {
  return { ...(timezone && { timezone }), ...(startsAt && { startsAt }), ...(endsAt !== undefined && { endsAt }) };
}
