// A mail server for tests that end it: each message is in a file before it is accepted. Takes the port and the file.
import { appendFileSync } from 'node:fs';
import { SMTPServer } from 'smtp-server';

const [port, file] = process.argv.slice(2) as [string, string];

const smtp = new SMTPServer({
  authOptional: true,
  disabledCommands: ['STARTTLS', 'AUTH'],
  disableReverseLookup: true,
  logger: false,
  onData(stream, { envelope }, callback) {
    stream.resume();
    stream.once('end', () => {
      const lines = envelope.rcptTo.map(({ address }) => `${Date.now()} ${address}\n`);
      appendFileSync(file, lines.join(''));
      callback();
    });
  },
});
// A client that was killed closes its connections.
smtp.on('error', () => {});
smtp.listen(Number(port), '127.0.0.1', () => process.send?.('ready'));
process.on('disconnect', () => process.exit());
