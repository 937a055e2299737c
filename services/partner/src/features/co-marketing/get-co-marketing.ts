import type { coMarketing } from '@tandem/partner-contract';
import type { Handler } from '../../handler.ts';
import { readResource } from './resource.ts';

export const getCoMarketing: Handler<typeof coMarketing.getCoMarketing> = ({ params, tx }) =>
  readResource(tx, params.id);
