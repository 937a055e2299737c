// A mail server that reads messages and drops them, for measuring senders. Takes the time in ms before it accepts a message,
// and sends its port to the parent process.
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { SMTPServer } from 'smtp-server';

const acceptMs = Number(process.argv[2]);

const smtp = new SMTPServer({
  authOptional: true,
  disabledCommands: ['STARTTLS', 'AUTH'],
  disableReverseLookup: true,
  logger: false,
  onData(stream, _session, callback) {
    stream.resume();
    stream.once('end', () => {
      if (acceptMs) void delay(acceptMs).then(() => callback());
      else callback();
    });
  },
});
smtp.listen(0, '127.0.0.1', () => process.send?.((smtp.server.address() as AddressInfo).port));
process.on('disconnect', () => process.exit());
