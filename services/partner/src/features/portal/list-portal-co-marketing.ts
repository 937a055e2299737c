import type { portal } from '@tandem/partner-contract';
import type { Handler } from '../../handler.ts';
import { listResources } from '../co-marketing/list-co-marketing-resources.ts';

export const listPortalCoMarketing: Handler<typeof portal.listPortalCoMarketing> = (context) =>
  listResources(context, 'active');
