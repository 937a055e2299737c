import type { portal } from '@tandem/partner-contract';
import type { Handler } from '../../handler.ts';
import { readVisible } from './visible-material.ts';

export const getPortalCoMarketing: Handler<typeof portal.getPortalCoMarketing> = ({ params, caller, tx }) =>
  readVisible(tx, caller, params.id);
