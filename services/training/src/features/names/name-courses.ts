import { namesHandler } from '@tandem/service';
import type { Tx } from '../../handler.ts';

/** Reads names under the permission that retrieving the record needs. */
export const nameCourses = namesHandler<Tx, 'course' | 'lesson' | 'module' | 'question_bank'>({
  course: {
    permission: 'training:read',
    async find(tx, ids) {
      const courses = await tx.course.findMany({ where: { id: { in: ids } } });
      return courses.map(({ id, title }) => ({ id, name: title }));
    },
  },
  lesson: {
    permission: 'training:read',
    async find(tx, ids) {
      // A lesson has up to 100 KB of content.
      const lessons = await tx.lesson.findMany({ where: { id: { in: ids } }, select: { id: true, title: true } });
      return lessons.map(({ id, title }) => ({ id, name: title }));
    },
  },
  module: {
    permission: 'training:read',
    async find(tx, ids) {
      const modules = await tx.module.findMany({ where: { id: { in: ids } } });
      return modules.map(({ id, title }) => ({ id, name: title }));
    },
  },
  question_bank: {
    permission: 'training:read',
    async find(tx, ids) {
      const banks = await tx.questionBank.findMany({ where: { id: { in: ids } } });
      return banks.map(({ id, title }) => ({ id, name: title }));
    },
  },
});
