import type { signIn } from '@tandem/identity-contract';
import type { Handler, Tools } from '../../handler.ts';

export const getJwks =
  ({ tokens }: Tools): Handler<typeof signIn.getJwks> =>
  () => ({ keys: tokens.publicKeys });
