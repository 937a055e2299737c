import { Course, type internalCompletions } from '@tandem/training-contract';
import type { Handler } from '../../handler.ts';

const columns = Course.pick({ status: true, audience: true });

export const findCourses: Handler<typeof internalCompletions.findCourses> = async ({ body, caller, tx }) => {
  // Without a tenant the tenant guard would throw an internal error.
  if (caller.tenantId === undefined) return [];
  const rows = await tx.course.findMany({ where: { id: { in: body.ids }, deletedAt: null }, orderBy: { id: 'asc' } });
  return rows.map((row) => ({ ...row, ...columns.parse(row) }));
};
