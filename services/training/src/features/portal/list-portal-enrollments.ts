import type { portalTraining } from '@tandem/training-contract';
import type { Handler } from '../../handler.ts';
import { asEnrollment } from '../enrollments/enrollment.ts';
import { ofPartner } from './partner.ts';

export const listPortalEnrollments: Handler<typeof portalTraining.listPortalEnrollments> = async (context) => {
  const { query, caller, tx, list } = context;
  const { status } = query;
  const page = await list({ model: tx.enrollment, where: { ...ofPartner(caller), ...(status && { status }) } });
  return { ...page, items: page.items.map(asEnrollment) };
};
