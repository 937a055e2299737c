import type { sharing } from '@tandem/partner-contract';
import type { Handler, Tools } from '../../handler.ts';
import { pagePolicy, sharePage } from './page.ts';
import { findShared } from './shared.ts';

export const showSharePage =
  ({ publicUrl }: Tools): Handler<typeof sharing.showSharePage> =>
  async ({ params, tx, inTenant }) => {
    const { resource } = await findShared({ ...params, tx, inTenant });
    return {
      body: sharePage(resource, `${publicUrl}/s/${params.token}`),
      type: 'text/html; charset=utf-8',
      contentPolicy: pagePolicy,
    };
  };
