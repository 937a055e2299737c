import type { portal } from '@tandem/partner-contract';
import type { Handler } from '../../handler.ts';
import { readResource } from '../co-marketing/resource.ts';

export const getPortalCoMarketing: Handler<typeof portal.getPortalCoMarketing> = ({ params, tx }) =>
  readResource(tx, params.id, 'active');
