import { fail } from '@tandem/service';
import type { portalTraining } from '@tandem/training-contract';
import type { Handler } from '../../handler.ts';
import { asCourse } from '../courses/course.ts';
import { offered, ofPartner } from './partner.ts';

export const getPortalCourse: Handler<typeof portalTraining.getPortalCourse> = async ({ params, caller, tx }) => {
  const own = ofPartner(caller);
  const row = await tx.course.findFirst({ where: { id: params.id, deletedAt: null } });
  if (!row) throw fail('not_found');
  const isOffered = row.status === offered.status && offered.audience.in.includes(row.audience);
  // A course that the partner began stays visible, also when it is archived.
  if (!isOffered && !(await tx.enrollment.count({ where: { ...own, courseId: row.id } }))) throw fail('not_found');
  return asCourse(tx, row);
};
