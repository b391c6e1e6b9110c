def redeem(order, code, store):
    """Takes a coupon off the price of an order that is being paid."""
    coupon = store.coupon(code)
    if coupon is None or coupon.used:
        return order.price
    price = order.price - coupon.value
    # Marked once the payment has come back.
    order.on_paid(lambda: store.mark_used(coupon))
    return max(price, 0)
