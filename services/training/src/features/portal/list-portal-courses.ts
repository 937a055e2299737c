import type { portalTraining } from '@tandem/training-contract';
import type { Handler } from '../../handler.ts';
import { asCourses } from '../courses/course.ts';
import { offered, ofPartner } from './partner.ts';

export const listPortalCourses: Handler<typeof portalTraining.listPortalCourses> = async ({ caller, tx, list }) => {
  ofPartner(caller);
  const { audience, ...where } = offered;
  const page = await list({ model: tx.course, where, and: [{ audience }], searchIn: ['title'] });
  return { ...page, items: await asCourses(tx, page.items) };
};
