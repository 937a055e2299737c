import type { sso } from '@tandem/identity-contract';
import type { Handler } from '../../handler.ts';
import { asDomain } from './domain.ts';

export const listSsoDomains: Handler<typeof sso.listSsoDomains> = async ({ tx }) =>
  (await tx.ssoDomain.findMany({ orderBy: { id: 'asc' } })).map(asDomain);
