import { type agentSchedules, scheduleCreated, scheduleLimits } from '@tandem/agents-contract';
import { actingUserId } from '@tandem/caller';
import { unknownId } from '@tandem/contract';
import { fail, failField, toJsonColumn } from '@tandem/service';
import { lockNamed } from '@tandem/tenant-db';
import type { Handler, Tools } from '../../handler.ts';
import { asSchedule, awaitNextRun, nextRun } from './schedule.ts';
import { checkTarget, columnsOfTarget } from './target.ts';
import { checkTimetable } from './times.ts';

export const createAgentSchedule = (tools: Tools): Handler<typeof agentSchedules.createAgentSchedule> => ({
  async check({ body: { agentId, target }, caller, tx }) {
    if (!(await tx.agent.findFirst({ where: { id: agentId, deletedAt: null } })))
      throw failField('agentId', unknownId('agent'));
    await checkTarget(tools, caller, target);
  },
  async run({ body, caller, tx, emit, schedule }) {
    const { cron = null, every = null, timezone, startsAt = new Date(), endsAt = null } = body;
    const timetable = { cron, every, timezone, startsAt, endsAt };
    checkTimetable(timetable);
    // The first lock keeps two requests from passing the maximum together, the second one the agent from being deleted.
    await lockNamed(tx, 'agent_schedules');
    const agent = await tx.agent.lockFirst({ where: { id: body.agentId, deletedAt: null } });
    if (!agent) throw failField('agentId', unknownId('agent'));
    if ((await tx.agentSchedule.count({ where: {} })) >= scheduleLimits.perEnvironment)
      throw fail('too_many_schedules');
    const next = nextRun(timetable, new Date());
    if (!next.nextRunAt) throw failField(endsAt ? 'endsAt' : 'cron', 'Leaves no time in the future');
    const { agentId, name, target, input, misfire } = body;
    const row = await tx.agentSchedule.create({
      data: {
        ...{ agentId, name, misfire, timezone, startsAt, endsAt, cron },
        ...{ intervalValue: every?.value ?? null, intervalUnit: every?.unit ?? null },
        ...columnsOfTarget(target),
        ...next,
        ...(input && { input: toJsonColumn(input) }),
        createdBy: actingUserId(caller) ?? null,
      },
    });
    await awaitNextRun(schedule, row);
    const record = asSchedule(row);
    emit(scheduleCreated, { data: { agentScheduleId: row.id, agentId }, record });
    return record;
  },
});
