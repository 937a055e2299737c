import type { templates } from '@tandem/campaign-contract';
import type { Handler } from '../../handler.ts';
import { changeStatus } from './change-status.ts';

export const activateTemplate: Handler<typeof templates.activateTemplate> = ({ params, ...work }) =>
  changeStatus(work, params.id, 'active');
