// A quarter of the dice tray's rim: a wall with a lip whose underside, at 45 degrees, carries a white LED
// strip that shines inwards, so that light comes from all sides and no die throws a hard shadow.
// Two quarters A and two B make the rim; the floor is felt on the base board.
//
//   openscad -o tray-a.stl tray.scad
//   openscad -D 'quarter="b"' -o tray-b.stl tray.scad
//
// Print as it stands, without support, in white. All lengths in millimetres.

/* [What] */
quarter = "a";              // [a, b]

/* [Tray] */
inside = [260, 200];        // room for the calibration board (240 x 180) with a margin
height = 46;
strip = 10;                 // width of the LED strip

/* [Print] */
wall = 2.4;
fit = 0.2;                  // gap on each side of the joint
$fn = 32;

reach = strip / sqrt(2) + 3;        // how far the lip reaches in
nose = 2;                           // its vertical edge
joint = [6, 5];                     // tongue: half its width at the root and its length, along the wall
foot = 12;                          // the foot is glued or screwed to the base board

half = [inside[0] / 2, inside[1] / 2];

// The wall's section: x goes into the tray, y up.
module section() polygon([
    [-foot, 0], [0, 0], [0, height - nose - reach], [reach, height - nose], [reach, height],
    [-wall, height], [-wall, foot - wall + 1.2], [-foot, 1.2],
]);

// A leg along +x from the corner, cut off at 45 degrees there for the mitre with the other leg.
module leg(length) {
    difference() {
        translate([-foot, 0, 0]) rotate([90, 0, 90]) linear_extrude(length + foot) section();
        linear_extrude(3 * height, center = true)
            polygon([[-foot - 1, -foot - 1], [reach + 1, reach + 1], [-foot - 1, reach + 1]]);
    }
}

// The other leg, along +y: the first one mirrored at the diagonal.
module other(length) mirror([1, -1, 0]) leg(length);

// A dovetail that stands upright in the foot's block: quarters are put together from above.
module tail(gap) {
    linear_extrude(foot) offset(gap) polygon([[-0.1, -3], [joint[1], -joint[0] + 1.5], [joint[1], joint[0] - 1.5], [-0.1, 3]]);
}
block = [14, 16];
module joint_block() translate([-block[0], -block[1], 0]) cube([block[0], block[1], foot]);

// A block behind the wall at a leg's end with a tongue, or with the groove for one.
module tongue_end() {
    joint_block();
    translate([0, -block[1] / 2, 0]) tail(0);
}
module groove() translate([0, -block[1] / 2, -1]) scale([1, 1, 2]) mirror([1, 0, 0]) tail(fit);

// Quarter B is A with its legs' lengths exchanged: going round, each leg's tongue meets the next one's groove.
legs = quarter == "a" ? half : [half[1], half[0]];

module corner() {
    difference() {
        union() {
            leg(legs[0]);
            other(legs[1]);
            translate([legs[0], 0, 0]) tongue_end();
            mirror([1, -1, 0]) translate([legs[1], 0, 0]) joint_block();
        }
        mirror([1, -1, 0]) translate([legs[1], 0, 0]) groove();
        // The strip's wires go out at the corner through a diamond that needs no support.
        translate([0, 0, height - nose - reach - 5]) rotate([0, 90, 45])
            linear_extrude(3 * foot, center = true) rotate(45) square(4, center = true);
    }
}

corner();
