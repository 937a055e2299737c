import type { totp } from '@tandem/identity-contract';
import { fail } from '@tandem/service';
import type { Handler, Tools } from '../../handler.ts';
import { readTenant } from '../tenants/tenant.ts';
import { accept, checkCode, enroll, findConfirmed, lockTotp, personOf, wrongCode } from './totp.ts';

export const startTotp = (tools: Tools): Handler<typeof totp.startTotp> => ({
  async check({ body, caller, tx }) {
    const row = await findConfirmed(tx, personOf(caller));
    // Otherwise whoever finds an unlocked screen could replace the second factor.
    if (row && body.code === undefined) throw fail('code_required');
    if (row) await checkCode({ tx, tenantId: row.tenantId, row, code: body.code as string }, tools);
  },
  async run({ body, caller, tx, emit }) {
    const userId = personOf(caller);
    const { confirmed } = await lockTotp(tx, userId);
    if (confirmed && body.code === undefined) throw fail('code_required');
    if (confirmed && !(await accept(tx, emit, { row: confirmed, code: body.code as string }, tools))) throw wrongCode();
    const user = await tx.user.findFirst({ where: { id: userId } });
    if (!user) throw fail('not_found');
    return enroll(tx, { user, tenant: await readTenant(tx) }, tools);
  },
});
