// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

// A token and an escrow for the temporary chain, with the interfaces of USDC (EIP-3009) and of x402's
// batch settlement; the code is our own. Rule: signatures are really checked. Storage starts empty and
// there are no constructors, because the code is placed at its canonical address.

contract Domain {
    function separator(string memory name, string memory version) internal view returns (bytes32) {
        return keccak256(abi.encode(
            keccak256("EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)"),
            keccak256(bytes(name)), keccak256(bytes(version)), block.chainid, address(this)));
    }

    function signerOf(bytes32 domain, bytes32 content, bytes memory signature) internal pure returns (address) {
        require(signature.length == 65, "signature length");
        (bytes32 r, bytes32 s, uint8 v) = (0, 0, 0);
        assembly {
            r := mload(add(signature, 32))
            s := mload(add(signature, 64))
            v := byte(0, mload(add(signature, 96)))
        }
        address who = ecrecover(keccak256(abi.encodePacked(hex"1901", domain, content)), v, r, s);
        require(who != address(0), "no signer");
        return who;
    }
}

contract Dollar is Domain {
    string public constant name = "USD Coin";
    string public constant symbol = "USDC";
    string public constant version = "2";
    uint8 public constant decimals = 6;
    mapping(address => uint256) public balanceOf;
    mapping(address => mapping(bytes32 => bool)) public authorizationState;

    event Transfer(address indexed from, address indexed to, uint256 value);
    event AuthorizationUsed(address indexed authorizer, bytes32 indexed nonce);

    function mint(address to, uint256 value) external {
        balanceOf[to] += value;
        emit Transfer(address(0), to, value);
    }

    function transfer(address to, uint256 value) external returns (bool) {
        move(msg.sender, to, value);
        return true;
    }

    function DOMAIN_SEPARATOR() external view returns (bytes32) {
        return separator(name, version);
    }

    function transferWithAuthorization(
        address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce,
        uint8 v, bytes32 r, bytes32 s
    ) external {
        authorized("Transfer", from, to, value, validAfter, validBefore, nonce, abi.encodePacked(r, s, v));
    }

    function transferWithAuthorization(
        address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce,
        bytes memory signature
    ) external {
        authorized("Transfer", from, to, value, validAfter, validBefore, nonce, signature);
    }

    function receiveWithAuthorization(
        address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce,
        bytes memory signature
    ) external {
        require(msg.sender == to, "caller is not the payee");
        authorized("Receive", from, to, value, validAfter, validBefore, nonce, signature);
    }

    function authorized(
        string memory kind, address from, address to, uint256 value, uint256 validAfter, uint256 validBefore,
        bytes32 nonce, bytes memory signature
    ) private {
        require(block.timestamp > validAfter, "authorization is not yet valid");
        require(block.timestamp < validBefore, "authorization is expired");
        require(!authorizationState[from][nonce], "authorization is used");
        bytes32 kindHash = keccak256(abi.encodePacked(kind,
            "WithAuthorization(address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,bytes32 nonce)"));
        bytes32 content = keccak256(abi.encode(kindHash, from, to, value, validAfter, validBefore, nonce));
        require(signerOf(separator(name, version), content, signature) == from, "invalid signature");
        authorizationState[from][nonce] = true;
        emit AuthorizationUsed(from, nonce);
        move(from, to, value);
    }

    function move(address from, address to, uint256 value) private {
        require(balanceOf[from] >= value, "transfer amount exceeds balance");
        balanceOf[from] -= value;
        balanceOf[to] += value;
        emit Transfer(from, to, value);
    }
}

interface Collector {
    function collect(address payer, address token, uint256 amount, bytes32 channelId, bytes calldata data) external;
}

contract Erc3009Collector is Collector {
    function collect(address payer, address token, uint256 amount, bytes32 channelId, bytes calldata data) external {
        (uint256 validAfter, uint256 validBefore, uint256 salt, bytes memory signature) =
            abi.decode(data, (uint256, uint256, uint256, bytes));
        bytes32 nonce = keccak256(abi.encode(channelId, salt));
        Dollar(token).receiveWithAuthorization(payer, address(this), amount, validAfter, validBefore, nonce, signature);
        Dollar(token).transfer(msg.sender, amount);
    }
}

contract Escrow is Domain {
    struct Config {
        address payer; address payerAuthorizer; address receiver; address receiverAuthorizer;
        address token; uint40 withdrawDelay; bytes32 salt;
    }
    struct Voucher { Config channel; uint128 maxClaimableAmount; }
    struct Claim { Voucher voucher; bytes signature; uint128 totalClaimed; }
    struct Channel { uint128 balance; uint128 totalClaimed; }
    struct Withdrawal { uint128 amount; uint40 initiatedAt; }
    struct Receiver { uint128 totalClaimed; uint128 totalSettled; }

    mapping(bytes32 => Channel) public channels;
    mapping(bytes32 => Withdrawal) public pendingWithdrawals;
    mapping(bytes32 => uint256) public refundNonce;
    mapping(address => mapping(address => Receiver)) public receivers;

    bytes32 public constant CHANNEL_CONFIG_TYPEHASH = keccak256(
        "ChannelConfig(address payer,address payerAuthorizer,address receiver,address receiverAuthorizer,address token,uint40 withdrawDelay,bytes32 salt)");

    event ChannelCreated(bytes32 indexed channelId, Config config);
    event Deposited(bytes32 indexed channelId, address indexed sender, uint128 amount, uint128 newBalance);
    event Claimed(bytes32 indexed channelId, address indexed sender, uint128 claimAmount, uint128 newTotalClaimed);
    event Settled(address indexed receiver, address indexed token, address indexed sender, uint128 amount);
    event Refunded(bytes32 indexed channelId, address indexed sender, uint128 amount);
    event WithdrawInitiated(bytes32 indexed channelId, uint128 amount, uint40 finalizeAfter);
    event WithdrawFinalized(bytes32 indexed channelId, address indexed sender, uint128 amount);

    error ZeroDeposit();
    error ZeroRefund();
    error InvalidChannel();
    error InvalidRefundNonce();
    error NothingToWithdraw();
    error WithdrawalAlreadyPending();
    error WithdrawAmountExceedsAvailable();
    error NotAuthorizedToFinalizeWithdraw();
    error WithdrawalNotPending();
    error WithdrawDelayNotElapsed();

    function domain() private view returns (bytes32) {
        return separator("x402 Batch Settlement", "1");
    }

    function digest(bytes32 content) private view returns (bytes32) {
        return keccak256(abi.encodePacked(hex"1901", domain(), content));
    }

    function getChannelId(Config memory c) public view returns (bytes32) {
        return digest(keccak256(abi.encode(CHANNEL_CONFIG_TYPEHASH, c)));
    }

    function deposit(Config calldata c, uint128 amount, address collector, bytes calldata data) external {
        require(c.withdrawDelay >= 900 && c.withdrawDelay <= 30 days, "withdraw delay");
        if (amount == 0) revert ZeroDeposit();
        bytes32 id = getChannelId(c);
        uint256 before = Dollar(c.token).balanceOf(address(this));
        Collector(collector).collect(c.payer, c.token, amount, id, data);
        require(Dollar(c.token).balanceOf(address(this)) == before + amount, "not collected");
        Channel storage channel = channels[id];
        channel.balance += amount;
        if (channel.balance == amount && channel.totalClaimed == 0) emit ChannelCreated(id, c);
        emit Deposited(id, msg.sender, amount, channel.balance);
    }

    function claimWithSignature(Claim[] calldata claims, bytes calldata signature) external {
        bytes32[] memory entries = new bytes32[](claims.length);
        for (uint256 i = 0; i < claims.length; i++) {
            entries[i] = keccak256(abi.encode(
                keccak256("ClaimEntry(bytes32 channelId,uint128 maxClaimableAmount,uint128 totalClaimed)"),
                getChannelId(claims[i].voucher.channel), claims[i].voucher.maxClaimableAmount, claims[i].totalClaimed));
        }
        bytes32 content = keccak256(abi.encode(
            keccak256("ClaimBatch(ClaimEntry[] claims)ClaimEntry(bytes32 channelId,uint128 maxClaimableAmount,uint128 totalClaimed)"),
            keccak256(abi.encodePacked(entries))));
        address authorizer = signerOf(domain(), content, signature);
        for (uint256 i = 0; i < claims.length; i++) {
            require(claims[i].voucher.channel.receiverAuthorizer == authorizer, "not the authorizer");
            claimOne(claims[i]);
        }
    }

    function claimOne(Claim calldata one) private {
        Config calldata c = one.voucher.channel;
        bytes32 id = getChannelId(c);
        bytes32 content = keccak256(abi.encode(
            keccak256("Voucher(bytes32 channelId,uint128 maxClaimableAmount)"), id, one.voucher.maxClaimableAmount));
        require(signerOf(domain(), content, one.signature) == c.payerAuthorizer, "voucher signature");
        Channel storage channel = channels[id];
        require(one.totalClaimed <= one.voucher.maxClaimableAmount && one.totalClaimed <= channel.balance, "too much");
        if (one.totalClaimed <= channel.totalClaimed) return; // claimed before
        uint128 more = one.totalClaimed - channel.totalClaimed;
        receivers[c.receiver][c.token].totalClaimed += more;
        channel.totalClaimed = one.totalClaimed;
        emit Claimed(id, msg.sender, more, one.totalClaimed);
    }

    function settle(address receiver, address token) external {
        Receiver storage r = receivers[receiver][token];
        uint128 amount = r.totalClaimed - r.totalSettled;
        if (amount == 0) return;
        r.totalSettled = r.totalClaimed;
        Dollar(token).transfer(receiver, amount);
        emit Settled(receiver, token, msg.sender, amount);
    }

    function refundWithSignature(Config calldata c, uint128 amount, uint256 nonce, bytes calldata signature) external {
        bytes32 id = getChannelId(c);
        if (amount == 0) revert ZeroRefund();
        if (nonce != refundNonce[id]++) revert InvalidRefundNonce();
        bytes32 content = keccak256(abi.encode(
            keccak256("Refund(bytes32 channelId,uint256 nonce,uint128 amount)"), id, nonce, amount));
        require(signerOf(domain(), content, signature) == c.receiverAuthorizer, "not the authorizer");
        uint128 paid = available(id, amount);
        if (paid == 0) return;
        Withdrawal storage pending = pendingWithdrawals[id];
        if (paid >= pending.amount) delete pendingWithdrawals[id];
        else pending.amount -= paid;
        emit Refunded(id, msg.sender, paid);
        payBack(c, id, paid);
    }

    function initiateWithdraw(Config calldata c, uint128 amount) external {
        if (msg.sender != c.payer && msg.sender != c.payerAuthorizer) revert InvalidChannel();
        if (amount == 0) revert NothingToWithdraw();
        bytes32 id = getChannelId(c);
        if (pendingWithdrawals[id].initiatedAt != 0) revert WithdrawalAlreadyPending();
        if (available(id, amount) < amount) revert WithdrawAmountExceedsAvailable();
        pendingWithdrawals[id] = Withdrawal(amount, uint40(block.timestamp));
        emit WithdrawInitiated(id, amount, uint40(block.timestamp) + c.withdrawDelay);
    }

    function finalizeWithdraw(Config calldata c) external {
        if (msg.sender != c.payer && msg.sender != c.payerAuthorizer) revert NotAuthorizedToFinalizeWithdraw();
        bytes32 id = getChannelId(c);
        Withdrawal memory pending = pendingWithdrawals[id];
        if (pending.initiatedAt == 0) revert WithdrawalNotPending();
        if (block.timestamp < pending.initiatedAt + c.withdrawDelay) revert WithdrawDelayNotElapsed();
        delete pendingWithdrawals[id];
        uint128 paid = available(id, pending.amount);
        emit WithdrawFinalized(id, msg.sender, paid);
        payBack(c, id, paid);
    }

    // at most `amount` of what is not claimed
    function available(bytes32 id, uint128 amount) private view returns (uint128) {
        uint128 rest = channels[id].balance - channels[id].totalClaimed;
        return amount < rest ? amount : rest;
    }

    function payBack(Config calldata c, bytes32 id, uint128 amount) private {
        channels[id].balance -= amount;
        Dollar(c.token).transfer(c.payer, amount);
    }

    function multicall(bytes[] calldata data) external returns (bytes[] memory results) {
        results = new bytes[](data.length);
        for (uint256 i = 0; i < data.length; i++) {
            (bool ok, bytes memory said) = address(this).delegatecall(data[i]);
            require(ok, "call failed");
            results[i] = said;
        }
    }
}

contract Multicall {
    struct Call { address target; bytes callData; }
    struct Result { bool success; bytes returnData; }

    function tryAggregate(bool all, Call[] calldata calls) external payable returns (Result[] memory results) {
        results = new Result[](calls.length);
        for (uint256 i = 0; i < calls.length; i++) {
            (bool ok, bytes memory said) = calls[i].target.call(calls[i].callData);
            require(ok || !all, "call failed");
            results[i] = Result(ok, said);
        }
    }
}
