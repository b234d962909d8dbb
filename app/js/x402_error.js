/* The one error that Python reads. Rule: its code and message are text, whatever was thrown. */

/** What went wrong with a wallet; `code` is EIP-1193's number as text, or a name of ours. */
export class WalletError extends Error {
  name = 'WalletError';
  constructor(code, message = code) {
    super(message);
    this.code = String(code);
  }
}

/** This browser keeps nothing for the page: the wallet was never asked. */
export const noStorage = (error) => new WalletError('no_storage', String(error?.message ?? error));
