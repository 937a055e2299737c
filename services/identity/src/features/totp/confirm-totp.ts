import type { totp } from '@tandem/identity-contract';
import { fail } from '@tandem/service';
import type { Handler, Tools } from '../../handler.ts';
import { checkCode, confirm, findTotp, lockTotp, personOf, wrongCode } from './totp.ts';

export const confirmTotp = (tools: Tools): Handler<typeof totp.confirmTotp> => ({
  async check({ body, caller, tx }) {
    const { pending } = await findTotp(tx, personOf(caller));
    if (!pending) throw fail('no_enrollment');
    await checkCode({ tx, tenantId: pending.tenantId, row: pending, code: body.code }, tools);
  },
  async run({ body, caller, tx, emit, schedule }) {
    const userId = personOf(caller);
    const { pending } = await lockTotp(tx, userId);
    if (!pending) throw fail('no_enrollment');
    const user = await tx.user.findFirst({ where: { id: userId } });
    if (!user) throw fail('not_found');
    if (!(await confirm({ tx, emit, schedule }, { user, pending, code: body.code }, tools))) throw wrongCode();
    return { enabled: true };
  },
});
