import { taskDeleted, taskUpdated } from '@tandem/crm-contract';
import type { Erasing } from '@tandem/service';
import type { Tx } from '../../handler.ts';
import { asTask } from '../tasks/task.ts';
import { mentionsInDeals } from './erase-opportunities.ts';
import { erasedText } from './texts.ts';

const batchMax = 200;

/** Deletes the tasks of the lead, with their subtasks and reminders. */
export async function eraseTasks({ tx, emit, person }: Erasing<Tx>): Promise<number> {
  const where = { leadId: { in: person.leadIds } };
  const rows = await tx.task.findMany({ where, orderBy: { id: 'asc' }, take: batchMax });
  await tx.task.deleteMany({ where: { ...where, id: { in: rows.map(({ id }) => id) } } });
  for (const row of rows) {
    const version = row.version + 1;
    const erased = { title: erasedText, description: null, outcomeNote: null, version, deletedAt: new Date() };
    emit(taskDeleted, { data: { taskId: row.id }, record: { ...asTask(row), ...erased } });
  }
  return rows.length;
}

/** Removes texts that mention the person from the tasks of the person's deals, and from their subtasks. */
export async function eraseTextsOfTasks({ tx, emit, person }: Erasing<Tx>): Promise<number> {
  const pattern = mentionsInDeals(person);
  const { leadIds } = person;
  // The only test of the texts: another one that found less would find the same rows for ever.
  const found = await tx.sql<{ id: number; isMentioned: boolean }>`SELECT task.id, task_texts."isMentioned" FROM task
    JOIN opportunity ON opportunity.id = task.opportunity_id
    CROSS JOIN LATERAL (SELECT coalesce(concat_ws(' ', nullif(task.title, ${erasedText}), task.description,
      task.outcome_note) ~* ${pattern}, false) AS "isMentioned") AS task_texts
    WHERE opportunity.lead_id = ANY(${leadIds}::bigint[])
      AND (task_texts."isMentioned"
        OR EXISTS (SELECT FROM subtask WHERE task_id = task.id AND nullif(title, ${erasedText}) ~* ${pattern})
        OR EXISTS (SELECT FROM task_escalation WHERE task_id = task.id AND reason ~* ${pattern}))
    ORDER BY task.id LIMIT ${batchMax}::int FOR NO KEY UPDATE OF task`;
  for (const { id, isMentioned } of found) {
    await tx.sql`UPDATE subtask SET title = ${erasedText}, version = version + 1, updated_at = now()
      WHERE task_id = ${id} AND title ~* ${pattern}`;
    await tx.sql`UPDATE task_escalation SET reason = NULL WHERE task_id = ${id} AND reason ~* ${pattern}`;
    const texts = { title: erasedText, description: null, outcomeNote: null };
    const data = { ...(isMentioned && texts), version: { increment: 1 } };
    const [row] = await tx.task.updateManyAndReturn({ where: { id }, data });
    const fields = [...(isMentioned ? Object.keys(texts) : []), 'subtasks'];
    if (row) emit(taskUpdated, { data: { taskId: id, fields }, record: asTask(row) });
  }
  return found.length;
}
