import { fail } from '@tandem/service';
import type { Course as CourseRow, Module as ModuleRow } from '../../generated/client.ts';
import type { Tx } from '../../handler.ts';
import { lockCourse } from '../courses/course.ts';

interface Ids {
  id: number;
  moduleId: number;
}

/** Locks a module and, first, its course: all writes of the content of a course follow one another. */
export async function lockModule(tx: Tx, { id, moduleId }: Ids): Promise<{ course: CourseRow; module: ModuleRow }> {
  const course = await lockCourse(tx, id);
  const module = await tx.module.lockFirst({ where: { id: moduleId, courseId: id } });
  if (!module) throw fail('not_found');
  return { course, module };
}

/** The modules of a course, in their order. */
export async function modulesOf(tx: Tx, courseId: number): Promise<ModuleRow[]> {
  return tx.module.findMany({ where: { courseId }, orderBy: { order: 'asc' } });
}
