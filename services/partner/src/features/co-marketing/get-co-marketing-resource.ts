import type { coMarketing } from '@tandem/partner-contract';
import type { Handler } from '../../handler.ts';
import { readResource } from './resource.ts';

export const getCoMarketingResource: Handler<typeof coMarketing.getCoMarketingResource> = ({ params, tx }) =>
  readResource(tx, params.id);
