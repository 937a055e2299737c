import type { templates } from '@tandem/campaign-contract';
import type { Handler } from '../../handler.ts';
import { changeStatus } from './change-status.ts';

export const archiveTemplate: Handler<typeof templates.archiveTemplate> = ({ params, tx, emit, ifMatch }) =>
  changeStatus({ tx, emit, ifMatch }, params.id, 'archived');
