import { taskDeleted } from '@tandem/crm-contract';
import type { Erasing } from '@tandem/service';
import type { Tx } from '../../handler.ts';
import { asTask } from '../tasks/task.ts';
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
