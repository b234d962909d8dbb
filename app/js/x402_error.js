/**
 * The errors of payments.
 * Rule: the code and the message are text, whatever was thrown, because Python reads both.
 */

/** `code` is EIP-1193's number as text, or one of the names that payments/errors.py knows. */
export class WalletError extends Error {
  name = 'WalletError';

  /**
   * @param {unknown} code
   * @param {string} [message]
   */
  constructor(code, message = String(code)) {
    super(message);
    this.code = String(code);
  }
}

/** @param {unknown} error whatever was thrown */
export const messageOf = (error) => (error instanceof Error ? error.message : String(error));
