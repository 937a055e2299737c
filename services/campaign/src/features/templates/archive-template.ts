import type { templates } from '@tandem/campaign-contract';
import type { Handler } from '../../handler.ts';
import { changeStatus } from './change-status.ts';

export const archiveTemplate: Handler<typeof templates.archiveTemplate> = ({ params, ...work }) =>
  changeStatus(work, params.id, 'archived');
